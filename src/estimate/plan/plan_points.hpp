#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "estimate/read/boundary_images.hpp"
#include "estimate/read/cloud_source.hpp"
#include "estimate/values/density_plan.hpp"

namespace skde {

/// The plan of sums at points, and what they need of the samples: bandwidth and kernels, with the
/// images at the faces of the box.
struct PointSetup {
  DensityPlan plan;  ///< its grid is only the box of the boundaries
  std::vector<Warning> warnings;
  StageTimes stages;
  /// With per-sample bandwidths if they adapt, or sharpened. Null if the source has an index: what
  /// is read of the file is not known yet.
  std::shared_ptr<const SampleCloud> cloud;
  Problem box;                 ///< the problem over the box, as one cell
  std::vector<double> places;  ///< the points, moved into a periodic box; 3 doubles each
  std::vector<bool> beyond;    ///< for each point: past a face where the box ends
  std::optional<BoundaryImages> images;
};

/// Sets up sums of densities, and predicts what they take. Without `runs`, nothing is summed, and
/// the plan may be provisional. Throws what Session::evaluate throws.
PointSetup set_up_densities(CloudSource& source, const DensityRequest& request,
                            const TargetPoints& points, const PointWishes& wishes, bool runs,
                            Progress& progress);
/// The same for means of so many channels.
PointSetup set_up_means(CloudSource& source, const DensityRequest& request,
                        const TargetPoints& points, std::size_t channels, bool runs,
                        Progress& progress);

/// Returns whether densities are summed as logarithms.
bool sums_logs(const DensityRequest& request, const PointWishes& wishes);
/// Returns W without sample i; accurate even if that sample has nearly all of it.
double weight_of_others(const PointSetup& setup, std::size_t i);

}  // namespace skde
