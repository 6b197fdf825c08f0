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
#include "engines/cpu/kernel_points.hpp"
#include "engines/cpu/sample_range.hpp"
#include "engines/cpu/shared_progress.hpp"
#include "engines/cpu/tile/block_sums.hpp"

namespace skde {

/// The sources that a block of targets sees, as ranges.
struct TargetBlock {
  SampleRange targets;
  std::vector<SampleRange> sources;

  friend bool operator==(const TargetBlock&, const TargetBlock&) = default;
};

/// A block-sparse matrix of pairs, with blocks in the order of their targets. Targets in no block
/// see nothing. Sources that a block names twice count twice.
using BlockRanges = std::vector<TargetBlock>;

/// Throws Error(usage) if a range goes beyond the targets or sources, or if blocks overlap.
void require_ranges(const BlockRanges& blocks, std::size_t targets, std::size_t sources);

/// The most channels of a reduction.
inline constexpr std::size_t kMostChannels = 8;

/// Sums over samples at points, of kernels that are 0 where they are cut:
///
///     a_i = sum_j k(x_i, y_j) b_j,   k(x, y_j) = amplitude_j k(q_j(x)),
///
/// with the samples' kernels as in SampleShapes (without a floor: points have no cells) and b_j of
/// 1 to 8 channels. Points are sorted by octant, in a space in which the common kernel has equal
/// extents along all axes, and cut into blocks of up to 64. Samples are put into boxes of up to 32.
/// A block sums densely over the samples whose boxes its own box can reach. Nothing is neglected:
/// the other kernels are 0 there. The bits are the same for any number of threads.
///
/// Samples are sorted once, and may be reduced any number of times.
class RangeReduction {
 public:
  /// `threads` is 0 for one per core. The samples' weights are ignored: pass them as a channel.
  /// Throws Error(input) if H is not positive definite.
  RangeReduction(const Kernel& kernel, const SamplesView& samples, int threads);
  /// Uses the caller's ranges, with points and samples in the order in which they are given.
  RangeReduction(const Kernel& kernel, const SamplesView& samples, BlockRanges ranges, int threads);

  /// Returns the sums at points (3 doubles each), `channels` doubles per point. `b` holds as many
  /// per sample. Float sums keep 7 digits of the largest kernel, double sums 15; both are combined
  /// in double. Float serves only one channel, of samples that share a kernel; other sums are in
  /// double. The progress counts points in a stage of this name. Throws Error(usage) if array sizes
  /// do not match, and Error(cancelled).
  std::vector<double> reduce(std::span<const double> points, std::span<const double> b,
                             std::size_t channels, Progress& progress,
                             std::string_view stage = "accumulate",
                             Precision precision = Precision::f64) const;
  /// The gradients of the sums of one channel with respect to the points, 3 doubles each.
  /// Error(usage) for kernels without a slope in the table, such as the flat uniform one.
  std::vector<double> gradients(std::span<const double> points, std::span<const double> b,
                                Progress& progress) const;

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
  bool chooses_threads_;  ///< small sums use fewer
};

/// How far from the box of points a sample may lie that counts there, with room for rounding.
Vec3 reach_about_points(const Kernel& kernel);

/// The samples that may count at points (3 doubles each): those within reach of their box, or all
/// if samples have kernels of their own. Sums over these have the same bits whichever of the other
/// samples are left out before.
class NearSamples {
 public:
  NearSamples(const Kernel& kernel, const SamplesView& samples, std::span<const double> points);
  SamplesView view() const { return some_ ? some_->view() : all_; }

 private:
  SamplesView all_;
  std::optional<Samples> some_;  ///< set if it is not all
};

/// Returns the weights of all samples; 1 each if they are unweighted.
std::vector<double> weights_of(const SamplesView& samples);

/// Returns the sums of w_i amplitude k(q_i) at points (3 doubles each), in double. Kernels are cut
/// as `kernel` says, and nothing else is left out (RangeReduction). The bits are the same for any
/// number of threads (0: one per core). The stage counts points. Throws Error(cancelled).
std::vector<double> sums_at(std::span<const double> points, const Kernel& kernel,
                            const SamplesView& samples, int threads, Progress& progress);

/// Adds the sums over all samples to `sums`. For few points, as nothing is sorted.
void add_sums_at(std::span<const double> points, const Kernel& kernel, const SamplesView& samples,
                 int threads, std::span<double> sums);

/// Bytes of host memory that sums_at() takes per sample and per point.
inline constexpr double kSumsSampleBytes = 72, kSumsPointBytes = 72;

}  // namespace skde
