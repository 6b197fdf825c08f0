#include "engines/cpu/cloud_pairs.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "engines/cpu/round_space.hpp"
#include "engines/cpu/shared_progress.hpp"
#include "engines/cpu/vector_instructions.hpp"

namespace skde {
namespace {

using Sample = std::array<double, 4>;  // a place and a weight

/// What the pairs of one sample sum up to.
struct TwoSums {
  double first = 0, second = 0;
};

template <int P>
struct PowerKernel {
  double per_square;  // 1 / h^2
  TwoSums operator()(double square) const {
    return {PowerProfile<P>().value(square * per_square), 0};
  }
};

template <int P>
struct PowerPair {
  double per_square;
  TwoSums operator()(double square) const {
    const double q = square * per_square;
    return {PowerProfile<P>().value(q), BallConvolution<P>::at(std::sqrt(q))};
  }
};

struct GaussianKernel {
  double per_square;
  TwoSums operator()(double square) const {
    return {exp_of_negative(-0.5 * square * per_square), 0};
  }
};

/// A Gaussian and that of twice the variance, whose square it is.
struct GaussianPair {
  double per_square;
  TwoSums operator()(double square) const {
    const double root = exp_of_negative(-0.25 * square * per_square);
    return {root * root, root};
  }
};

/// The powers of the Laplacian of exp(-q / 2): polynomials of q times it (d = 3), signs as of their
/// value at 0 for an even power.
template <int S>
struct GaussianLaplacian {
  static_assert(S == 2 || S == 3);
  double per_square;
  TwoSums operator()(double square) const {
    const double q = square * per_square, e = exp_of_negative(-0.5 * q);
    if constexpr (S == 2) return {((q - 10) * q + 15) * e, 0};
    return {-(((q - 21) * q + 105) * q - 105) * e, 0};
  }
};

struct SamePlace {
  TwoSums operator()(double square) const { return {square > 0 ? 0.0 : 1.0, 0}; }
};

/// The sums over places [first, last) of a block.
template <class Profile>
[[gnu::always_inline]] inline TwoSums sum_of_block(const CloudPairs::Block& block,
                                                   const Profile& profile, std::size_t first,
                                                   std::size_t last, Vec3 u) {
  double one = 0, two = 0;
#pragma omp simd reduction(+ : one, two)
  for (std::size_t j = first; j < last; ++j) {
    const double dx = block.x[j] - u.x, dy = block.y[j] - u.y, dz = block.z[j] - u.z;
    const TwoSums value = profile(dx * dx + dy * dy + dz * dz);
    one += block.w[j] * value.first;
    two += block.w[j] * value.second;
  }
  return {one, two};
}

template <class Profile>
using BlockSum = TwoSums (*)(const CloudPairs::Block&, const Profile&, std::size_t, std::size_t,
                             Vec3);

// NOLINTBEGIN(bugprone-macro-parentheses): an attribute cannot stand in parentheses
#define SKDE_BLOCK_SUM(NAME, TARGET)                                                             \
  template <class Profile>                                                                       \
  TARGET TwoSums NAME(const CloudPairs::Block& block, const Profile& profile, std::size_t first, \
                      std::size_t last, Vec3 u) {                                                \
    return sum_of_block(block, profile, first, last, u);                                         \
  }
// NOLINTEND(bugprone-macro-parentheses)
#if defined(__x86_64__)
SKDE_BLOCK_SUM(block_sum_avx512, SKDE_AVX512)
SKDE_BLOCK_SUM(block_sum_avx2, SKDE_AVX2)
#endif
SKDE_BLOCK_SUM(block_sum_any, )
#undef SKDE_BLOCK_SUM

template <class Profile>
BlockSum<Profile> best_block_sum() {
#if defined(__x86_64__)
  if (vector_instructions() == VectorInstructions::avx512) return block_sum_avx512<Profile>;
  if (vector_instructions() == VectorInstructions::avx2) return block_sum_avx2<Profile>;
#endif
  return block_sum_any<Profile>;
}

/// Orders samples so that each run of a block's size lies together: halves along the longest side,
/// and halves of these.
void order_by_halves(Sample* first, Sample* last) {
  const auto count = static_cast<std::size_t>(last - first);
  if (count <= CloudPairs::kBlock) return;
  std::array<double, 3> lower{first[0][0], first[0][1], first[0][2]}, upper = lower;
  for (const Sample* s = first; s != last; ++s)
    for (std::size_t a = 0; a < 3; ++a) {
      lower[a] = std::min(lower[a], (*s)[a]);
      upper[a] = std::max(upper[a], (*s)[a]);
    }
  std::size_t axis = 0;
  for (std::size_t a = 1; a < 3; ++a)
    if (upper[a] - lower[a] > upper[axis] - lower[axis]) axis = a;
  const std::size_t half =
      (count / 2 + CloudPairs::kBlock - 1) / CloudPairs::kBlock * CloudPairs::kBlock;
  Sample* const middle = first + half;
  std::nth_element(first, middle, last,
                   [axis](const Sample& a, const Sample& b) { return a[axis] < b[axis]; });
  constexpr std::size_t kWorthATask = 1 << 15;
#pragma omp task if (count > kWorthATask)
  order_by_halves(first, middle);
  order_by_halves(middle, last);
#pragma omp taskwait
}

/// Of a box to a place.
double distance_squared(const std::array<double, 3>& lower, const std::array<double, 3>& upper,
                        Vec3 u) {
  double sum = 0;
  for (int a = 0; a < 3; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    const double gap = std::max({0.0, lower[axis] - u[a], u[a] - upper[axis]});
    sum += gap * gap;
  }
  return sum;
}

}  // namespace

double CloudPairs::Bounds::distance_squared(const Bounds& other) const {
  double sum = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const double gap = std::max({0.0, lower[a] - other.upper[a], other.lower[a] - upper[a]});
    sum += gap * gap;
  }
  return sum;
}

void CloudPairs::Bounds::hold(const Bounds& other) {
  for (std::size_t a = 0; a < 3; ++a) {
    lower[a] = std::min(lower[a], other.lower[a]);
    upper[a] = std::max(upper[a], other.upper[a]);
  }
}

CloudPairs::CloudPairs(const SamplesView& samples, const Symmetric3& matrix, int threads)
    : threads_(threads > 0 ? threads : omp_get_num_procs()) {
  const RoundSpace space(matrix, samples.size() > 0 ? samples.point(0) : Vec3{});
  volume_ = space.volume();
  std::vector<Sample> placed;
  placed.reserve(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!(samples.weight(i) > 0)) continue;
    const Vec3 u = space(samples.point(i));
    placed.push_back({u.x, u.y, u.z, samples.weight(i)});
    total_weight_ += samples.weight(i);
  }
  size_ = placed.size();
  sort_into_blocks(placed);
}

void CloudPairs::sort_into_blocks(std::vector<Sample>& samples) {
#pragma omp parallel num_threads(threads_)
#pragma omp single
  order_by_halves(samples.data(), samples.data() + samples.size());
  constexpr double kFar = std::numeric_limits<double>::infinity();
  const Bounds nothing{{kFar, kFar, kFar}, {-kFar, -kFar, -kFar}};
  blocks_.resize((size_ + kBlock - 1) / kBlock);
  bounds_.assign(blocks_.size(), nothing);
  group_bounds_.assign((blocks_.size() + kBlock - 1) / kBlock, nothing);
  for (std::size_t i = 0; i < size_; ++i) {
    const auto& [x, y, z, w] = samples[i];
    Block& block = blocks_[i / kBlock];
    const std::size_t at = i % kBlock;
    block.x[at] = x;
    block.y[at] = y;
    block.z[at] = z;
    block.w[at] = w;
    bounds_[i / kBlock].hold({{x, y, z}, {x, y, z}});
  }
  for (std::size_t b = 0; b < blocks_.size(); ++b) group_bounds_[b / kBlock].hold(bounds_[b]);
}

std::vector<std::size_t> CloudPairs::blocks_near(std::size_t block, double reach) const {
  std::vector<std::size_t> near;
  for (std::size_t group = 0; group < group_bounds_.size(); ++group) {
    if (group_bounds_[group].distance_squared(bounds_[block]) > reach * reach) continue;
    const std::size_t end = std::min(blocks_.size(), (group + 1) * kBlock);
    for (std::size_t b = group * kBlock; b < end; ++b)
      if (bounds_[b].distance_squared(bounds_[block]) <= reach * reach) near.push_back(b);
  }
  return near;
}

template <class Profile>
CloudPairs::Convolved CloudPairs::sums(const Profile& profile, double reach,
                                       Progress& progress) const {
  Convolved result{std::vector<double>(size_), std::vector<double>(size_)};
  const auto block_sum = best_block_sum<Profile>();
  SharedProgress shared(progress, "pairs", size_, "samples");
  std::atomic<bool> stopped = false;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads_)
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    if (stopped) continue;
    const std::vector<std::size_t> near = blocks_near(b, reach);
    const std::size_t count = std::min(kBlock, size_ - b * kBlock);
    for (std::size_t i = 0; i < count; ++i) {
      const Vec3 u{blocks_[b].x[i], blocks_[b].y[i], blocks_[b].z[i]};
      TwoSums sum;
      const auto add = [&](const TwoSums& more) {
        sum.first += more.first;
        sum.second += more.second;
      };
      for (const std::size_t other : near) {
        if (other == b) {
          add(block_sum(blocks_[b], profile, 0, i, u));
          add(block_sum(blocks_[b], profile, i + 1, count, u));
        } else if (distance_squared(bounds_[other].lower, bounds_[other].upper, u) <=
                   reach * reach) {
          add(block_sum(blocks_[other], profile, 0, kBlock, u));
        }
      }
      result.kernel[b * kBlock + i] = sum.first;
      result.convolution[b * kBlock + i] = sum.second;
    }
    if (!shared.advance(count)) stopped = true;
  }
  shared.finish();
  return result;
}

namespace {

void scale(std::vector<double>& values, double factor) {
  for (double& value : values) value *= factor;
}

}  // namespace

std::vector<double> CloudPairs::weights_at_own_place(Progress& progress) const {
  return sums(SamePlace{}, 0, progress).kernel;
}

std::vector<double> CloudPairs::kernels(KernelFunction function, double h,
                                        Progress& progress) const {
  constexpr double kGaussianReach = 8;  // deviations: exp(-32) is 1.3e-14
  const double per_square = 1 / (h * h);
  std::vector<double> result;
  if (function->is_bounded())
    result = with_degree(function, [&]<int P>() {
               return sums(PowerKernel<P>{per_square}, h, progress);
             }).kernel;
  else
    result = sums(GaussianKernel{per_square}, kGaussianReach * h, progress).kernel;
  scale(result, function->constant);
  return result;
}

CloudPairs::Convolved CloudPairs::convolved(KernelFunction function, double h,
                                            Progress& progress) const {
  constexpr double kGaussianReach = 12;  // of which the wider one is 2.3e-16
  const double per_square = 1 / (h * h);
  if (function->is_bounded()) {
    Convolved result = with_degree(
        function, [&]<int P>() { return sums(PowerPair<P>{per_square}, 2 * h, progress); });
    scale(result.kernel, function->constant);
    return result;
  }
  Convolved result = sums(GaussianPair{per_square}, kGaussianReach * h, progress);
  scale(result.kernel, function->constant);
  scale(result.convolution, GaussianProfile::convolution(0));
  return result;
}

std::vector<double> CloudPairs::laplacians(int s, double g, Progress& progress) const {
  constexpr double kReach = 10;
  const double per_square = 1 / (g * g);
  std::vector<double> result =
      s == 2 ? sums(GaussianLaplacian<2>{per_square}, kReach * g, progress).kernel
             : sums(GaussianLaplacian<3>{per_square}, kReach * g, progress).kernel;
  scale(result, GaussianProfile::kConstant);
  return result;
}

double CloudPairs::log_gaussians(std::size_t i, double h) const {
  const Block& own = blocks_[i / kBlock];
  const std::size_t at = i % kBlock;
  const auto for_others = [&](const auto& body) {
    for (std::size_t j = 0; j < size_; ++j) {
      if (j == i) continue;
      const Block& b = blocks_[j / kBlock];
      const std::size_t k = j % kBlock;
      const double dx = b.x[k] - own.x[at], dy = b.y[k] - own.y[at], dz = b.z[k] - own.z[at];
      body(dx * dx + dy * dy + dz * dz, b.w[k]);
    }
  };
  double nearest = std::numeric_limits<double>::infinity(), sum = 0;
  for_others([&](double square, double) { nearest = std::min(nearest, square); });
  for_others([&](double square, double w) {
    sum += w * exp_of_negative(-0.5 * (square - nearest) / (h * h));
  });
  return std::log(sum) - 0.5 * nearest / (h * h);
}

}  // namespace skde
