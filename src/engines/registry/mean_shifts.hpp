#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/report/progress.hpp"
#include "core/space/space.hpp"

namespace skde {

/// How mean shifts are computed, and how well.
struct MeanShiftEffort {
  int threads = 0;                                              ///< 0: one per core
  double most_bytes = std::numeric_limits<double>::infinity();  ///< limit of host memory
  /// Bound of a shift's error, in deviations of the kernel along its direction.
  double error = 1e-5;
  std::optional<int> gpu{};  ///< the CUDA device that may be used; none: only the CPU
};

/// Returns the mean shift of each target t (3 doubles each), 3 doubles in world units:
///
///     sum_j w_j e_j (x_j - t) / sum_j w_j e_j,   e_j = exp(-(t - x_j)^T H^-1 (t - x_j) / 2),
///
/// which is H times the gradient of log f at t, where f is the density of the sources with the
/// Gaussian kernel of bandwidth matrix H (Fukunaga and Hostetler, IEEE Trans. Inf. Theory 21,
/// 1975). It is 0 where the sum of w e is below 2e-22 of the largest w. Sources may differ from the
/// targets, and have weights but no kernels of their own. How it is computed depends on the counted
/// work, never on the clock, and the bits not on the number of threads. Throws Error(input) if H is
/// not positive definite, Error(resources) if a GPU's memory does not suffice, and
/// Error(cancelled).
std::vector<double> mean_shifts(const Symmetric3& H, const SamplesView& sources,
                                std::span<const double> targets, const MeanShiftEffort& effort,
                                Progress& progress);

}  // namespace skde
