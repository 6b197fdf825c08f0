#include "core/kernel/mass_in_box.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/report/thread_room.hpp"

namespace skde {
namespace {

constexpr std::uint64_t kMostIntegrals = 8192;
constexpr double kSecondsAnIntegral = 2e-5, kSecondsASample = 3e-8;

/// Returns how many axes have a face of the box inside the kernel; -1 if kernel and box do not
/// meet.
int crossed_axes(const Ellipsoid<double>& e, const Box& box) {
  const Vec3 half{e.rx, e.ry, e.sz};
  int axes = 0;
  for (int axis = 0; axis < 3; ++axis) {
    if (box.lower[axis] >= half[axis] || box.upper[axis] <= -half[axis]) return -1;
    axes += box.lower[axis] > -half[axis] || box.upper[axis] < half[axis] ? 1 : 0;
  }
  return axes;
}

/// The box relative to a sample, in units of the kernel's width.
Box seen_from(const Box& box, Vec3 sample, double width) {
  return {(1 / width) * (box.lower - sample), (1 / width) * (box.upper - sample)};
}

std::size_t block_count(std::size_t samples) {
  return (samples + BoxMass::kBlock - 1) / BoxMass::kBlock;
}

/// Returns the samples of block `b`.
SamplesView block_of(const SamplesView& points, std::size_t b) {
  const std::size_t begin = b * BoxMass::kBlock;
  return points.slice(begin, std::min(BoxMass::kBlock, points.size() - begin));
}

/// Weight of the edge samples that were integrated, and by how much their kernels' mass inside
/// exceeds the products.
struct Edges {
  double weight = 0, more = 0;
  Edges& operator+=(const Edges& other) {
    weight += other.weight;
    more += other.more;
    return *this;
  }
};

/// True for about one index in `one_in`, spread without a period.
bool is_chosen(std::uint64_t i, std::uint64_t one_in) {
  constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15u;  // of 2^64
  return (i * kGoldenRatio >> 32) % one_in == 0;
}

/// Where a sample lies relative to the box.
struct Place {
  bool outside = false;  ///< outside the box
  bool beyond = false;   ///< beyond a face at which the box ends
};

Place place_of(Vec3 p, const Box& box, const Boundaries& boundaries) {
  Place place;
  for (int axis = 0; axis < 3; ++axis) {
    const Boundary boundary = boundaries[static_cast<std::size_t>(axis)];
    if (boundary == Boundary::periodic) continue;
    if (is_between(p[axis], box.lower[axis], box.upper[axis])) continue;
    place.outside = true;
    place.beyond = place.beyond || ends_at_faces(boundary);
  }
  return place;
}

}  // namespace

MassInBox& MassInBox::operator+=(const MassInBox& other) {
  weight += other.weight;
  outside += other.outside;
  beyond += other.beyond;
  return *this;
}

BoxMass::Sums& BoxMass::Sums::operator+=(const Sums& other) {
  known += other.known;
  edge_weight += other.edge_weight;
  edge_product += other.edge_product;
  edges += other.edges;
  return *this;
}

BoxMass::Faces::Faces(const Box& given, const Boundaries& boundaries) : box(given) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  divided = {{-kFar, -kFar, -kFar}, {kFar, kFar, kFar}};
  const bool cuts = std::ranges::find(boundaries, Boundary::none) != boundaries.end();
  for (int axis = 0; axis < 3; ++axis) {
    const Boundary boundary = boundaries[static_cast<std::size_t>(axis)];
    if (boundary == Boundary::none) continue;
    if (boundary == Boundary::renormalize && cuts) {
      divides = true;
      divided.lower[axis] = given.lower[axis];
      divided.upper[axis] = given.upper[axis];
    } else {
      box.lower[axis] = -kFar;
      box.upper[axis] = kFar;
    }
  }
}

BoxMass::BoxMass(const Kernel& kernel, const Box& box, const Boundaries& boundaries)
    : mass_(kernel),
      box_(box),
      boundaries_(boundaries),
      faces_(box, boundaries),
      cut_(kernel.cut()),
      common_(ellipsoid_in_world(kernel.H, cut_)),
      deep_(deep_box(1)) {}

Box BoxMass::deep_box(double widen) const {
  constexpr double kRounding = 1e-12;
  const Vec3 half = widen * Vec3{common_.rx, common_.ry, common_.sz};
  Box deep = faces_.box;
  for (int axis = 0; axis < 3; ++axis) {
    const double slack = kRounding * (std::abs(box_.lower[axis]) + std::abs(box_.upper[axis]));
    deep.lower[axis] += half[axis] + slack;
    deep.upper[axis] -= half[axis] + slack;
    if (boundaries_[static_cast<std::size_t>(axis)] == Boundary::periodic) continue;
    deep.lower[axis] = std::max(deep.lower[axis], box_.lower[axis]);
    deep.upper[axis] = std::min(deep.upper[axis], box_.upper[axis]);
  }
  return deep;
}

bool BoxMass::is_deep(Vec3 centre) const { return deep_.holds(centre); }

BoxMass::BoxMass(const Kernel& kernel, const Grid& grid, const Boundaries& boundaries,
                 double min_width)
    : BoxMass(kernel, grid.bounds(), boundaries) {
  if (min_width > 0) at_floor_.emplace(kernel, grid, min_width);
}

BoxMass::Seen BoxMass::kernel_at(const SamplesView& points, std::size_t i) const {
  if (!points.shaped()) return {common_};
  if (at_floor_) return {ellipsoid_in_world(at_floor_->matrix_of(points, i), cut_)};
  if (points.shapes.empty()) return {common_, points.bandwidth_factor(i)};
  return {ellipsoid_in_world(points.shape(i), cut_)};
}

double BoxMass::share(Vec3 sample, const Seen& kernel) const {
  const double inside = mass_.in_box(kernel.ellipsoid, seen_from(faces_.box, sample, kernel.width));
  if (!faces_.divides) return inside;
  return inside / mass_.in_box(kernel.ellipsoid, seen_from(faces_.divided, sample, kernel.width));
}

double BoxMass::product(Vec3 sample, const Seen& kernel) const {
  const Box seen = seen_from(faces_.box, sample, kernel.width);
  double product = 1;
  for (int axis = 0; axis < 3; ++axis) {
    constexpr double kFar = std::numeric_limits<double>::infinity();
    Box between{{-kFar, -kFar, -kFar}, {kFar, kFar, kFar}};
    between.lower[axis] = seen.lower[axis];
    between.upper[axis] = seen.upper[axis];
    product *= mass_.in_box(kernel.ellipsoid, between);
  }
  return product;
}

int BoxMass::crossed(Vec3 sample, const Seen& kernel) const {
  return crossed_axes(kernel.ellipsoid, seen_from(faces_.box, sample, kernel.width));
}

double BoxMass::inside(const SamplesView& points, std::size_t i) const {
  const Vec3 place = points.point(i);
  if (!points.shaped() && is_deep(place)) return 1;
  if (place_of(place, box_, boundaries_).beyond) return 0;
  const Seen kernel = kernel_at(points, i);
  const int axes = crossed(place, kernel);
  return axes <= 0 ? axes + 1 : std::clamp(share(place, kernel), 0.0, 1.0);
}

BoxMass::Sums BoxMass::sums(const SamplesView& block) const {
  Sums sum;
  const bool alike = !block.shaped();
  for (std::size_t i = 0; i < block.size(); ++i) {
    const double weight = block.weight(i);
    if (!(weight > 0)) continue;
    if (alike && is_deep(block.point(i))) {
      sum.known.weight += weight;
      continue;
    }
    const Place place = place_of(block.point(i), box_, boundaries_);
    sum.known.outside += place.outside ? 1 : 0;
    sum.known.beyond += place.beyond ? 1 : 0;
    if (place.beyond) continue;
    const Seen kernel = kernel_at(block, i);
    const int axes = crossed(block.point(i), kernel);
    if (axes == 0) sum.known.weight += weight;
    if (axes == 1) sum.known.weight += weight * share(block.point(i), kernel);
    if (axes < 2) continue;
    sum.edge_weight += weight;
    sum.edge_product += weight * product(block.point(i), kernel);
    ++sum.edges;
  }
  return sum;
}

BoxMass::Sums BoxMass::sums(const SamplesView& block, const Moments& moments) const {
  if (block.shaped() || moments.count() == 0 || !is_deep(moments.bounds().lower) ||
      !is_deep(moments.bounds().upper))
    return sums(block);
  Sums all;
  all.known.weight = moments.total_weight();
  return all;
}

std::vector<std::size_t> BoxMass::edge_samples(const SamplesView& points,
                                               std::span<const Sums> blocks, std::uint64_t one_in,
                                               int threads) const {
  const bool alike = !points.shaped();
  std::vector<std::vector<std::size_t>> found(blocks.size());
  // Chosen by their place among edge samples alone, so that the same ones are chosen if samples far
  // from the box were not read.
  std::vector<std::uint64_t> edges_before(blocks.size());
  for (std::size_t b = 1; b < blocks.size(); ++b)
    edges_before[b] = edges_before[b - 1] + blocks[b - 1].edges;
  [[maybe_unused]] const int workers =
      threads_worth(kSecondsASample * static_cast<double>(points.size()), threads);
#pragma omp parallel for schedule(dynamic, 1) num_threads(workers)
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (blocks[b].edges == 0) continue;
    std::uint64_t edge = edges_before[b];
    for (std::size_t i = b * kBlock; i < std::min(points.size(), (b + 1) * kBlock); ++i) {
      if (alike && is_deep(points.point(i))) continue;
      if (!(points.weight(i) > 0)) continue;
      if (place_of(points.point(i), box_, boundaries_).beyond) continue;
      if (crossed(points.point(i), kernel_at(points, i)) < 2) continue;
      if (is_chosen(edge++, one_in)) found[b].push_back(i);
    }
  }
  std::vector<std::size_t> all;
  for (const auto& block : found) all.insert(all.end(), block.begin(), block.end());
  return all;
}

MassInBox BoxMass::total(const SamplesView& points, std::span<const Sums> blocks,
                         int threads) const {
  Sums all;
  for (const Sums& block : blocks) all += block;
  if (all.edges == 0) return all.known;
  const std::uint64_t one_in = (all.edges + kMostIntegrals - 1) / kMostIntegrals;
  const std::vector<std::size_t> chosen = edge_samples(points, blocks, one_in, threads);
  std::vector<Edges> partial(chosen.size());
  [[maybe_unused]] const int workers =
      threads_worth(kSecondsAnIntegral * static_cast<double>(chosen.size()), threads);
#pragma omp parallel for schedule(dynamic, 4) num_threads(workers)
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const std::size_t i = chosen[k];
    const Seen kernel = kernel_at(points, i);
    const double more = share(points.point(i), kernel) - product(points.point(i), kernel);
    partial[k] = {points.weight(i), points.weight(i) * more};
  }
  Edges edges;
  for (const Edges& sum : partial) edges += sum;
  all.known.weight += all.edge_product;
  if (edges.weight > 0) all.known.weight += all.edge_weight * edges.more / edges.weight;
  all.known.weight = std::max(all.known.weight, 0.0);
  return all.known;
}

MassInBox mass_in_box(const BoxMass& mass, const SamplesView& points, int threads) {
  std::vector<BoxMass::Sums> blocks(block_count(points.size()));
  const int most = thread_count(threads);
  [[maybe_unused]] const int workers =
      threads_worth(kSecondsASample * static_cast<double>(points.size()), most);
#pragma omp parallel for schedule(dynamic, 1) num_threads(workers)
  for (std::size_t b = 0; b < blocks.size(); ++b) blocks[b] = mass.sums(block_of(points, b));
  return mass.total(points, blocks, most);
}

MassInBox mass_in_box(const Kernel& kernel, const Box& box, const SamplesView& points,
                      const Boundaries& boundaries, int threads) {
  return mass_in_box(BoxMass(kernel, box, boundaries), points, threads);
}

}  // namespace skde
