#include "engines/cpu/kernel_points.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/morton_code.hpp"

namespace skde {
namespace {

constexpr Grid kUnitGrid{{}, {1, 1, 1}, {1, 1, 1}};  // one cell is one world unit

/// Returns a grid in whose cells the common kernel has equal half extents along all axes.
Grid unit_grid(const Kernel& kernel) {
  Grid grid = kUnitGrid;
  grid.spacing = kernel.half_extents();
  return grid;
}

/// Bits of an octant's index along one axis. A key interleaves the bits of three indices.
constexpr unsigned kBits = 19;

/// The octants of a box. The key of an octant begins with the keys of the octants that contain it.
class Octants {
 public:
  explicit Octants(const Box& box) : lower_(box.lower) {
    const Vec3 extent = box.extent();
    const double longest = std::max({extent.x, extent.y, extent.z});
    constexpr double kCells = 1 << kBits;
    if (longest > 0) per_length_ = kCells / longest;
  }
  std::uint64_t key(Vec3 place) const {
    return morton_code(along(place.x - lower_.x), along(place.y - lower_.y),
                       along(place.z - lower_.z));
  }

 private:
  std::uint64_t along(double distance) const {
    constexpr double kLast = (1 << kBits) - 1;
    return static_cast<std::uint64_t>(std::clamp(distance * per_length_, 0.0, kLast));
  }

  Vec3 lower_;
  double per_length_ = 0;
};

/// Returns the class of a kernel's reach. Reaches of one class differ by less than a factor of 2.
std::uint32_t reach_class(const Ellipsoid<double>& ellipsoid) {
  constexpr int kLast = 63, kMiddle = 32;
  const Vec3 half = half_extents_of(ellipsoid);
  const int power = std::ilogb(std::max({half.x, half.y, half.z}));
  return static_cast<std::uint32_t>(std::clamp(power + kMiddle, 0, kLast));
}

template <class T>
void reorder(std::vector<T>& values, const std::vector<std::size_t>& order, int threads) {
  std::vector<T> sorted(values.size());
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = values[order[i]];
  values = std::move(sorted);
}

/// Sorts a share on each thread, and merges shares in pairs.
template <class Item>
void sort_shares(std::vector<Item>& items, int threads) {
  const auto at = [&](int share) {
    return items.begin() +
           static_cast<std::ptrdiff_t>(items.size()) * std::min(share, threads) / threads;
  };
#pragma omp parallel for schedule(static, 1) num_threads(threads)
  for (int share = 0; share < threads; ++share) std::sort(at(share), at(share + 1));
  for (int width = 1; width < threads; width *= 2)
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int share = 0; share < threads; share += 2 * width)
      std::inplace_merge(at(share), at(share + width), at(share + 2 * width));
}

}  // namespace

KernelSpace::KernelSpace(const Kernel& kernel, bool shaped, Vec3 origin)
    : shaped_(shaped),
      origin_(origin),
      scale_(kernel.half_extents()),
      ball_(kernel.ellipsoid(kUnitGrid)),
      shapes_(kernel, unit_grid(kernel), 0) {}

Vec3 KernelSpace::operator()(const double* world) const {
  const Vec3 d = Vec3{world[0], world[1], world[2]} - origin_;
  if (shaped_) return {d.x / scale_.x, d.y / scale_.y, d.z / scale_.z};
  return {(d.x - ball_.bxy * d.y - ball_.bxz * d.z) * ball_.inv_sx,
          (d.y - ball_.bzy * d.z) * ball_.inv_sy, d.z * ball_.inv_sz};
}

Vec3 KernelSpace::world_gradient(Vec3 g) const {
  if (shaped_) return {g.x / scale_.x, g.y / scale_.y, g.z / scale_.z};
  const double x = g.x * ball_.inv_sx, y = g.y * ball_.inv_sy;
  return {x, y - ball_.bxy * x, g.z * ball_.inv_sz - ball_.bzy * y - ball_.bxz * x};
}

Vec3 KernelSpace::world_difference(Vec3 u) const {
  const double z = u.z * ball_.sz, y = u.y * ball_.sy + ball_.bzy * z;
  return {u.x * ball_.sx + ball_.bxy * y + ball_.bxz * z, y, z};
}

KernelPoints::KernelPoints(const KernelSpace& space, std::span<const double> points, Order order,
                           int threads)
    : KernelPoints(space, SamplesView{points}, order, threads) {}

KernelPoints::KernelPoints(const KernelSpace& space, const SamplesView& samples, Order order,
                           int threads)
    : x_(samples.size()), y_(samples.size()), z_(samples.size()) {
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Vec3 place = space(&samples.xyz[3 * i]);
    x_[i] = place.x;
    y_[i] = place.y;
    z_[i] = place.z;
  }
  std::vector<std::uint32_t> classes;
  if (samples.shaped()) {
    classes.resize(samples.size());
    amplitudes_.resize(samples.size());
    ellipsoids_.resize(samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const SampleShape shape = space.shapes().of(samples, i);
      ellipsoids_[i] = shape.ellipsoid;
      amplitudes_[i] = shape.amplitude;
      classes[i] = reach_class(shape.ellipsoid);
    }
  }
  sort(classes, order, threads);
}

void KernelPoints::sort(std::span<const std::uint32_t> classes, Order order, int threads) {
  constexpr unsigned kClassShift = 3 * kBits;
  const std::size_t count = x_.size();
  order_.resize(count);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  if (order == Order::as_given || count == 0) return;
  const Octants octants(box_of({0, count}));
  struct Keyed {
    std::uint64_t key;
    std::size_t index;
    bool operator<(const Keyed& b) const { return key != b.key ? key < b.key : index < b.index; }
  };
  std::vector<Keyed> keyed(count);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::size_t i = 0; i < count; ++i)
    keyed[i] = {
        octants.key(place(i)) | (classes.empty() ? 0 : std::uint64_t{classes[i]} << kClassShift),
        i};
  sort_shares(keyed, threads);
  keys_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    keys_[i] = keyed[i].key;
    order_[i] = keyed[i].index;
  }
  keyed = {};
  for (std::vector<double>* const values : {&x_, &y_, &z_}) reorder(*values, order_, threads);
  if (classes.empty()) return;
  reorder(amplitudes_, order_, threads);
  reorder(ellipsoids_, order_, threads);
}

std::vector<SampleRange> KernelPoints::blocks(std::size_t most, double longest) const {
  std::vector<SampleRange> found, waiting{{0, size()}};
  while (!waiting.empty()) {
    const SampleRange range = waiting.back();
    waiting.pop_back();
    if (range.size() == 0) continue;
    if (range.size() <= most && (keys_.empty() || range.size() == 1 || is_within(range, longest))) {
      found.push_back(range);
      continue;
    }
    const std::uint64_t differ = keys_.empty() ? 0 : keys_[range.first] ^ keys_[range.last - 1];
    // Points of one octant are split by count.
    std::size_t middle =
        range.first +
        (range.size() <= most ? range.size() / 2 : std::max(most, range.size() / 2 / most * most));
    if (differ != 0) {  // split where the highest differing bit turns from 0 to 1
      const std::uint64_t bit = std::bit_floor(differ);
      const auto at = [&](std::size_t i) { return keys_.begin() + static_cast<std::ptrdiff_t>(i); };
      middle = static_cast<std::size_t>(
          std::partition_point(at(range.first), at(range.last),
                               [&](std::uint64_t key) { return (key & bit) == 0; }) -
          keys_.begin());
    }
    waiting.push_back({middle, range.last});
    waiting.push_back({range.first, middle});
  }
  return found;
}

bool KernelPoints::is_within(const SampleRange& range, double longest) const {
  const Vec3 extent = box_of(range).extent();
  return std::max({extent.x, extent.y, extent.z}) <= longest;
}

Box KernelPoints::box_of(const SampleRange& range) const {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  Box box{{kFar, kFar, kFar}, {-kFar, -kFar, -kFar}};
  for (std::size_t i = range.first; i < range.last; ++i) {
    const Vec3 at = place(i);
    for (int axis = 0; axis < 3; ++axis) {
      box.lower[axis] = std::min(box.lower[axis], at[axis]);
      box.upper[axis] = std::max(box.upper[axis], at[axis]);
    }
  }
  return box;
}

Box KernelPoints::reach_of(const SampleRange& range) const {
  Box box = box_of(range);
  if (ellipsoids_.empty()) return box;
  for (std::size_t i = range.first; i < range.last; ++i) {
    const Vec3 at = place(i), half = half_extents_of(ellipsoids_[i]);
    for (int axis = 0; axis < 3; ++axis) {
      box.lower[axis] = std::min(box.lower[axis], at[axis] - half[axis]);
      box.upper[axis] = std::max(box.upper[axis], at[axis] + half[axis]);
    }
  }
  return box;
}

}  // namespace skde
