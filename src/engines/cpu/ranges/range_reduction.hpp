#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "core/problem.hpp"
#include "core/report/progress.hpp"
#include "engines/cpu/ranges/kernel_points.hpp"
#include "engines/cpu/shared_progress.hpp"
#include "engines/cpu/tile/block_ranges.hpp"
#include "engines/cpu/tile/block_sums.hpp"

namespace skde {

/// The most channels of a reduction.
inline constexpr std::size_t kMostChannels = 8;

/// Sums over samples at points, of kernels that are 0 where they are cut:
///
///     a_i = sum_j k(x_i, y_j) b_j,   k(x, y_j) = amplitude_j k(q_j(x)),
///
/// with the samples' kernels as SampleShapes has them (no floor: points have no cells), and b_j of
/// 1 to 8 channels. Points are sorted by octants of a space in which kernels are as wide along all
/// axes, and cut into blocks of up to 64; samples into boxes of up to 32. A block sees the ranges
/// of samples whose boxes its own box can reach, and sums them densely. Nothing is left out: what
/// is not seen is 0. The same bits for any number of threads.
///
/// Points and samples are sorted once, and reduced as often as wanted.
class RangeReduction {
 public:
  /// `threads`: 0: one a core. The samples' weights do not count: they are a channel. Throws
  /// Error(input) where H is not positive definite.
  RangeReduction(const Kernel& kernel, const SamplesView& samples, int threads);
  /// With ranges that the caller gives, of points and samples as they come.
  RangeReduction(const Kernel& kernel, const SamplesView& samples, BlockRanges ranges, int threads);

  /// The sums at points (3 doubles each), `channels` doubles a point; `b` holds as many a sample.
  /// Float sums keep 7 digits of the largest kernel, double ones 15; either are put together in
  /// double. In float are those of one channel alone, of samples that share a kernel. The progress
  /// counts points in a stage of this name. Throws Error(usage) where arrays do not match, and
  /// Error(cancelled).
  std::vector<double> reduce(std::span<const double> points, std::span<const double> b,
                             std::size_t channels, Progress& progress,
                             std::string_view stage = "accumulate",
                             Precision precision = Precision::f64) const;
  /// The transpose: at samples, sum_i k(x_i, y_j) b_i over points.
  std::vector<double> reduce_transposed(std::span<const double> points, std::span<const double> b,
                                        std::size_t channels, Progress& progress) const;
  /// The gradients of the sums of one channel with respect to the points, 3 doubles each.
  /// Error(usage) for kernels without a slope in the table, such as the flat uniform one.
  std::vector<double> gradients(std::span<const double> points, std::span<const double> b,
                                Progress& progress) const;

  /// At every sample the sums of such a term over all samples, itself included, where the kernel
  /// that this was made of is a ball as wide as `cut` half widths of the function: sums_of(term)
  /// doubles a sample, without the function's constant. `b` holds one a sample. Error(cancelled).
  std::vector<double> self_sums(PairTerm term, KernelFunction function, double cut,
                                std::span<const double> b, Progress& progress) const;

  std::size_t samples() const { return samples_.size(); }

 private:
  struct Plan;
  template <class Real>
  void sum_blocks(const Plan& plan, const PairWork& work, std::span<double> values,
                  SharedProgress& shared) const;
  std::vector<double> run(const Plan& plan, Progress& progress) const;

  Kernel kernel_;
  KernelSpace space_;
  KernelPoints samples_;
  std::optional<BlockRanges> ranges_;
  int threads_;
};

}  // namespace skde
