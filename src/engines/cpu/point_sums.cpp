#include "engines/cpu/point_sums.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "engines/cpu/shared_progress.hpp"
#include "engines/cpu/vector_instructions.hpp"

namespace skde {
namespace {

constexpr Grid kWorld{{}, {1, 1, 1}, {1, 1, 1}};  // in whose cells lengths are world's

/// World units to those in which the kernel is a ball of radius 1.
class BallSpace {
 public:
  BallSpace(const Kernel& kernel, Vec3 origin)
      : ellipsoid_(kernel.ellipsoid(kWorld)), origin_(origin) {}
  Vec3 operator()(const double* world) const {
    const Vec3 d = Vec3{world[0], world[1], world[2]} - origin_;
    const Ellipsoid<double>& e = ellipsoid_;
    return {(d.x - e.bxy * d.y - e.bxz * d.z) * e.inv_sx, (d.y - e.bzy * d.z) * e.inv_sy,
            d.z * e.inv_sz};
  }

 private:
  Ellipsoid<double> ellipsoid_;
  Vec3 origin_;
};

/// Cells of one edge over the samples.
struct BallCells {
  Vec3 lower;
  double edge = 1;
  std::array<std::int64_t, 3> counts{1, 1, 1};

  /// About one cell a sample, unless they would be much smaller than the reach.
  BallCells(const Box& box, std::size_t samples) : lower(box.lower) {
    constexpr double kFinest = 0.25;
    const Vec3 extent = box.extent();
    edge = kFinest;
    const auto cells = [&] {
      double count = 1;
      for (int axis = 0; axis < 3; ++axis) count *= std::floor(extent[axis] / edge) + 1;
      return count;
    };
    while (cells() > 2 * static_cast<double>(samples) + 64) edge *= 1.25;
    for (int axis = 0; axis < 3; ++axis)
      counts[static_cast<std::size_t>(axis)] =
          static_cast<std::int64_t>(std::floor(extent[axis] / edge)) + 1;
  }

  std::int64_t along(int axis, double place) const {
    const double cell = std::floor((place - lower[axis]) / edge);
    const auto last = static_cast<double>(counts[static_cast<std::size_t>(axis)] - 1);
    return static_cast<std::int64_t>(std::clamp(cell, 0.0, last));
  }
  std::size_t index(Vec3 u) const {
    return static_cast<std::size_t>((along(2, u.z) * counts[1] + along(1, u.y)) * counts[0] +
                                    along(0, u.x));
  }
  /// The distance of a place to cell i along an axis.
  double distance(int axis, std::int64_t i, double place) const {
    const double from = lower[axis] + edge * static_cast<double>(i);
    return std::max({0.0, from - place, place - from - edge});
  }
};

/// Numbers that begin at a cache line, so that vectors of them are cut alike wherever memory lies,
/// and their sums have the same bits.
class AlignedNumbers {
 public:
  explicit AlignedNumbers(std::size_t count) : memory_(count + kLine) {
    const auto past = reinterpret_cast<std::uintptr_t>(memory_.data()) / sizeof(double) % kLine;
    first_ = memory_.data() + (kLine - past) % kLine;
  }
  AlignedNumbers(const AlignedNumbers&) = delete;
  AlignedNumbers& operator=(const AlignedNumbers&) = delete;

  double& operator[](std::size_t i) { return first_[i]; }
  const double* data() const { return first_; }

 private:
  static constexpr std::size_t kLine = 8;

  std::vector<double> memory_;
  double* first_;
};

/// Samples where the kernel is a ball.
struct BallSamples {
  AlignedNumbers x, y, z, weight;

  explicit BallSamples(std::size_t count) : x(count), y(count), z(count), weight(count) {}

  void put(std::size_t at, Vec3 u, double w) {
    x[at] = u.x;
    y[at] = u.y;
    z[at] = u.z;
    weight[at] = w;
  }
};

/// Samples by their cells, x fastest.
struct SortedSamples : BallSamples {
  std::vector<std::size_t> starts;

  SortedSamples(const BallSpace& space, const BallCells& cells, const SamplesView& samples)
      : BallSamples(samples.size()) {
    const auto& n = cells.counts;
    starts.assign(static_cast<std::size_t>(n[0] * n[1] * n[2]) + 1, 0);
    const auto cell_of = [&](std::size_t i) { return cells.index(space(&samples.xyz[3 * i])); };
    for (std::size_t i = 0; i < samples.size(); ++i) ++starts[cell_of(i) + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    for (std::size_t i = samples.size(); i-- > 0;) {  // the ends move down to the starts
      const Vec3 u = space(&samples.xyz[3 * i]);
      put(--starts[cells.index(u) + 1], u, samples.weight(i));
    }
    std::rotate(starts.begin(), starts.begin() + 1, starts.end());
    starts.back() = samples.size();
  }
};

/// The sum of w k(|x - u|^2) over samples [first, last).
template <class Profile>
[[gnu::always_inline]] inline double sum_of_run(const BallSamples& samples, const Profile& profile,
                                                std::size_t first, std::size_t last, Vec3 u) {
  const double *const x = samples.x.data(), *const y = samples.y.data(),
                      *const z = samples.z.data(), *const w = samples.weight.data();
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = first; i < last; ++i) {
    const double dx = x[i] - u.x, dy = y[i] - u.y, dz = z[i] - u.z;
    sum += w[i] * profile.value(dx * dx + dy * dy + dz * dz);
  }
  return sum;
}

template <class Profile>
using RunSum = double (*)(const BallSamples&, const Profile&, std::size_t, std::size_t, Vec3);

#if defined(__x86_64__)
template <class Profile>
SKDE_AVX512 double sum_avx512(const BallSamples& samples, const Profile& profile, std::size_t first,
                              std::size_t last, Vec3 u) {
  return sum_of_run(samples, profile, first, last, u);
}
template <class Profile>
SKDE_AVX2 double sum_avx2(const BallSamples& samples, const Profile& profile, std::size_t first,
                          std::size_t last, Vec3 u) {
  return sum_of_run(samples, profile, first, last, u);
}
#endif
template <class Profile>
double sum_any(const BallSamples& samples, const Profile& profile, std::size_t first,
               std::size_t last, Vec3 u) {
  return sum_of_run(samples, profile, first, last, u);
}

template <class Profile>
RunSum<Profile> best_run_sum() {
#if defined(__x86_64__)
  if (vector_instructions() == VectorInstructions::avx512) return sum_avx512<Profile>;
  if (vector_instructions() == VectorInstructions::avx2) return sum_avx2<Profile>;
#endif
  return sum_any<Profile>;
}

/// The sums of points, whose kernel has this profile.
template <class Profile>
class PointSums {
 public:
  PointSums(const BallCells& cells, const SortedSamples& samples, const Profile& profile)
      : cells_(cells), samples_(samples), profile_(profile), run_sum_(best_run_sum<Profile>()) {}

  double at(Vec3 u) const {
    double sum = 0;
    for (std::int64_t z = cells_.along(2, u.z - 1); z <= cells_.along(2, u.z + 1); ++z)
      for (std::int64_t y = cells_.along(1, u.y - 1); y <= cells_.along(1, u.y + 1); ++y) {
        const double dz = cells_.distance(2, z, u.z), dy = cells_.distance(1, y, u.y);
        const double left = 1 - dz * dz - dy * dy;
        if (left > 0) sum += row(u, y, z, std::sqrt(left));
      }
    return sum;
  }

 private:
  /// Of the cells of a row within the reach, whose samples lie together.
  double row(Vec3 u, std::int64_t y, std::int64_t z, double reach) const {
    const std::int64_t before = (z * cells_.counts[1] + y) * cells_.counts[0];
    const auto first = static_cast<std::size_t>(before + cells_.along(0, u.x - reach));
    const auto last = static_cast<std::size_t>(before + cells_.along(0, u.x + reach));
    return run_sum_(samples_, profile_, samples_.starts[first], samples_.starts[last + 1], u);
  }

  const BallCells& cells_;
  const SortedSamples& samples_;
  Profile profile_;
  RunSum<Profile> run_sum_;
};

Box box_of(const BallSpace& space, const SamplesView& samples) {
  const Vec3 first = space(samples.xyz.data());
  Box box{first, first};
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const Vec3 u = space(&samples.xyz[3 * i]);
    for (int axis = 0; axis < 3; ++axis) {
      box.lower[axis] = std::min(box.lower[axis], u[axis]);
      box.upper[axis] = std::max(box.upper[axis], u[axis]);
    }
  }
  return box;
}

}  // namespace

std::vector<double> sums_at(std::span<const double> points, const Kernel& kernel,
                            const SamplesView& samples, int threads, Progress& progress) {
  constexpr std::size_t kBlock = 64;  // points, which lie together where they are sorted
  const std::size_t count = points.size() / 3;
  std::vector<double> sums(count, 0.0);
  SharedProgress shared(progress, "pilot", count, "samples");
  if (samples.size() == 0) return sums;
  const BallSpace space(kernel, samples.point(0));
  const BallCells cells(box_of(space, samples), samples.size());
  const SortedSamples sorted(space, cells, samples);
  std::vector<std::size_t> order(count), keys(count);
  for (std::size_t i = 0; i < count; ++i) keys[i] = cells.index(space(&points[3 * i]));
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return keys[a] != keys[b] ? keys[a] < keys[b] : a < b;
  });
  const double amplitude = kernel.amplitude();
  std::atomic<bool> stopped = false;
  with_profile(kernel, [&](const auto& profile) {
    const PointSums at(cells, sorted, profile);
    const std::size_t blocks = (count + kBlock - 1) / kBlock;
    const int workers = threads > 0 ? threads : omp_get_num_procs();
#pragma omp parallel for schedule(dynamic, 1) num_threads(workers)
    for (std::size_t block = 0; block < blocks; ++block) {
      if (stopped) continue;
      const std::size_t end = std::min(count, (block + 1) * kBlock);
      for (std::size_t i = block * kBlock; i < end; ++i)
        sums[order[i]] = amplitude * at.at(space(&points[3 * order[i]]));
      if (!shared.advance(end - block * kBlock)) stopped = true;
    }
  });
  shared.finish();
  return sums;
}

void add_sums_at(std::span<const double> points, const Kernel& kernel, const SamplesView& samples,
                 int threads, std::span<double> sums) {
  constexpr std::size_t kBlock = 1 << 14;  // samples, which stay in the cache
  if (samples.size() == 0) return;
  const BallSpace space(kernel, samples.point(0));
  const double amplitude = kernel.amplitude();
  BallSamples block(std::min(kBlock, samples.size()));
  with_profile(kernel, [&](const auto& profile) {
    const auto run_sum = best_run_sum<std::decay_t<decltype(profile)>>();
    const int workers = threads > 0 ? threads : omp_get_num_procs();
    for (std::size_t first = 0; first < samples.size(); first += kBlock) {
      const std::size_t count = std::min(kBlock, samples.size() - first);
#pragma omp parallel num_threads(workers)
      {
#pragma omp for schedule(static)
        for (std::size_t i = 0; i < count; ++i)
          block.put(i, space(&samples.xyz[3 * (first + i)]), samples.weight(first + i));
#pragma omp for schedule(static)
        for (std::size_t p = 0; p < sums.size(); ++p)
          sums[p] += amplitude * run_sum(block, profile, 0, count, space(&points[3 * p]));
      }
    }
  });
}

}  // namespace skde
