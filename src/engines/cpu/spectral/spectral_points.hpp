#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/report/progress.hpp"
#include "core/space/space.hpp"
#include "engines/cpu/kernel_points.hpp"
#include "engines/cpu/ranges/round_space.hpp"
#include "engines/spectral_plan.hpp"

namespace skde {

/// Returns sum_j w_j exp(-|x_i - x_j|^2 / (2 h^2)) at every sample i of a cloud, i = j included, in
/// the space in which the cloud's matrix S is the unit matrix. Samples are spread over the nodes of
/// a box by B-splines, transformed, multiplied, transformed back and read by the same splines. The
/// error is below 1e-8 of the height of the heaviest kernels. Fast if consecutive samples lie close
/// together. Returns nothing if it would take more than `most_bytes` of memory. Throws
/// Error(cancelled).
std::optional<std::vector<double>> gaussian_sums(const SamplesView& samples,
                                                 const Symmetric3& matrix, double h,
                                                 double most_bytes, int threads,
                                                 Progress& progress);

/// Mean shifts by transforms.
class SpectralShifts {
 public:
  /// The least error of a shift, in deviations, that they serve.
  static constexpr double kLeastError = 2e-6;

  /// `space` is that in which H is the unit matrix, with the first source as its origin. `targets`
  /// hold 3 doubles each. `pair_work` is how many pairs would have to be summed without transforms.
  /// The nodes leave out targets and sources that are far from most targets.
  SpectralShifts(const Symmetric3& H, const KernelSpace& space, const SamplesView& sources,
                 std::span<const double> targets, double pair_work);

  /// Work of the transforms, in pairs.
  double work() const { return work_; }
  double bytes() const;
  /// Computes shifts in world units. Returns the targets whose shifts are not within `error`
  /// deviations: the sums around them are small beside the error of the transforms, or far samples
  /// decide them.
  std::vector<std::size_t> find(double error, int threads, std::span<double> shifts,
                                Progress& progress) const;

 private:
  RoundSpace round_;
  const KernelSpace& space_;
  SamplesView sources_;
  std::span<const double> targets_;
  KernelPoints order_;  ///< the targets, neighbours together
  SpectralPlan plan_;
  Box targets_box_{}, sources_box_{};  ///< of those that the nodes hold
  double work_ = 0;
};

}  // namespace skde
