#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "core/report/progress.hpp"
#include "engines/cpu/kernel_points.hpp"
#include "engines/cpu/ranges/nearest_boxes.hpp"

namespace skde {

/// Sums of kernels at points as logarithms, and means of numbers that samples carry.
struct LogSums {
  std::vector<double> logs;   ///< log sum_j w_j k_j(x) per point; -inf if no sample is left
  std::vector<double> means;  ///< per point and channel: sum_j w_j k_j(x) b_j / sum_j w_j k_j(x)

  /// Adds the sums of other samples at the same points.
  void add(const LogSums& more);
};

/// Which samples are left out of the sum at a point: those whose number in `of_sample` equals the
/// point's number in `at_point`. If both are empty, nothing is left out.
struct LeftOut {
  std::span<const std::size_t> of_sample, at_point;
};

/// Sums Gaussians or exponentials of samples without a cut, at points however far from all of them.
///
/// The largest term at a point is found by a search through boxes of samples. Each sum is then
/// taken relative to it (log-sum-exp), over all samples but those in boxes that together add less
/// than 1e-11 of it. Points are sorted by octants into blocks of up to 64 that share a search, and
/// samples are summed in vectors. Logarithms are off by 2e-11 and by rounding of q. The bits are
/// the same for any number of threads.
class KernelLogs {
 public:
  /// Ignores the kernel's cut; the kernel must be unbounded. `threads` is 0 for one per core.
  /// Throws Error(input) if H is not positive definite.
  KernelLogs(const Kernel& kernel, const SamplesView& samples, int threads);
  /// Makes the kernels `factor` times as wide, and leaves their heights. Not for shaped samples.
  void widen(double factor);

  /// Returns the sums at points (3 doubles each) and the means of `b`, which holds `channels`
  /// values per sample. The progress counts points, in a stage of this name. Throws
  /// Error(cancelled).
  LogSums at(std::span<const double> points, const LeftOut& left_out, std::span<const double> b,
             std::size_t channels, Progress& progress, std::string_view stage) const;
  /// Returns log sum_j w_j k_j(y_j), the sum of what each sample adds at its own place y_j.
  double log_of_heights() const;

 private:
  Kernel kernel_;
  Vec3 origin_;
  KernelSpace space_;
  KernelPoints samples_;
  std::vector<double> heights_;  ///< logarithms, in the current order of the samples
  NearestBoxes boxes_;
  int threads_;
};

}  // namespace skde
