#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/report/progress.hpp"
#include "core/space/space.hpp"
#include "engines/cpu/kernel_points.hpp"
#include "engines/cpu/ranges/round_space.hpp"
#include "engines/cpu/spectral/spectral_field.hpp"
#include "engines/spectral_plan.hpp"

namespace skde {

/// Nodes that leave out what is far from most targets.
struct NodeChoice {
  SpectralPlan plan{};
  Box targets{}, sources{};  ///< of those that the nodes hold
  double work = 0;           ///< of the transforms and of targets left out, in pairs
};

/// Sums sum_j w_j exp(-|x_i - x_j|^2 / (2 h^2)) at every sample i of a cloud, i = j included, in
/// the space in which the cloud's matrix S is the unit matrix. Samples are spread over the nodes of
/// a box by B-splines and transformed, once for all h. For each h, the transform is multiplied,
/// transformed back and read by the same splines. Fast if consecutive samples lie close together.
class GaussianSums {
 public:
  /// For deviations from `finest` to `widest`. Returns null if it would take more than `most_bytes`
  /// of memory. Throws Error(cancelled).
  static std::unique_ptr<GaussianSums> of(const SamplesView& samples, const Symmetric3& matrix,
                                          double finest, double widest, double most_bytes,
                                          int threads, Progress& progress);

  bool serves(double h) const { return h >= finest_ && h <= widest_; }
  /// For the finest deviation, an error is below 1e-5 of the height of the heaviest kernels, and
  /// that of the mean of many below 1e-6; for a deviation 1.2 times as large, a tenth of that.
  /// Throws Error(cancelled).
  std::vector<double> at(double h, std::size_t samples, Progress& progress);

 private:
  GaussianSums(const SamplesView& samples, const RoundSpace& space, const NodeChoice& nodes,
               double finest, double widest, int threads);

  RoundSpace space_;
  double finest_, widest_, total_;
  SpectralPlan plan_;
  SpectralField transform_, field_;
  std::vector<std::size_t> inside_;  ///< samples that the nodes hold
  std::vector<double> places_;       ///< of these
};

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
  double work() const { return nodes_.work; }
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
  NodeChoice nodes_;
};

}  // namespace skde
