#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/problem.hpp"
#include "estimate/read/boundary_images.hpp"
#include "estimate/values/request.hpp"

namespace skde {

/// The default alpha of Abramson's law.
inline constexpr double kSquareRootLaw = 0.5;

/// The settings of a pilot density. With the samples they decide the adaptive bandwidths of these,
/// or where sharpening moves them.
struct PilotSpec {
  Kernel kernel;                  ///< one kernel for all samples
  std::optional<double> alpha{};  ///< of Abramson's law; none: the samples are sharpened
  Boundaries boundaries{};
  Grid grid{};               ///< its box has the boundaries; unused without any
  double error = 0;          ///< of the mean shifts, in deviations of the Gaussian pilot
  std::optional<int> gpu{};  ///< that may compute these shifts

  friend bool operator==(const PilotSpec&, const PilotSpec&) = default;
};

/// Returns the error that mean shifts may have: half of it is at most 1e-6 of the peak, or as much
/// as the tolerance if that is given. 0 if the samples are not sharpened.
double shift_error(const DensityRequest& request);

/// Returns what the pilot of a request with this kernel and grid depends on.
PilotSpec pilot_spec(const DensityRequest& request, const Kernel& kernel, const Grid& grid);

/// Throws Error(usage) if the request asks for two pilots, or if the samples are `shaped`: they
/// have bandwidths of their own.
void require_pilot(const DensityRequest& request, bool shaped);

/// The sources of a pilot density, and the samples as places where it is summed. Faces of the box
/// add images to the sources.
class PilotSamples {
 public:
  /// `kernel` is the pilot's. The points must outlive this object.
  PilotSamples(const SamplesView& points, const PilotSpec& spec, const Kernel& kernel);

  /// The places of the samples, 3 doubles each: within a periodic box, also of samples outside it.
  std::span<const double> places() const { return images_ ? places_ : points_.xyz; }
  /// Returns whether sample i counts: it is not beyond a face at which the box ends.
  bool counts(std::size_t i) const { return !images_ || counts_[i]; }
  /// Returns how many kernels the sources have: those of mirrored images may differ.
  std::size_t kernels() const { return images_ ? images_->passes() : 1; }
  /// Calls use(kernel, sources) for all sources, grouped by kernel.
  void for_each(const std::function<void(const Kernel&, const SamplesView&)>& use) const;

 private:
  SamplesView points_;
  Kernel kernel_;
  std::optional<BoundaryImages> images_;
  std::vector<double> places_;
  std::vector<bool> counts_;
};

}  // namespace skde
