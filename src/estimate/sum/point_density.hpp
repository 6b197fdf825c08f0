#pragma once

#include <functional>
#include <vector>

#include "estimate/read/boundary_images.hpp"
#include "estimate/read/cloud_source.hpp"
#include "estimate/values/density_facts.hpp"

namespace skde {

/// Bandwidth and kernels of the samples as sums at points need them, with the images at the faces
/// of the box.
struct PointSetup {
  DensityFacts facts;
  /// With per-sample bandwidths if they adapt, or sharpened. Null if the source has an index: what
  /// is read of the file is not known yet.
  std::shared_ptr<const SampleCloud> cloud;
  Problem box;                 ///< the problem over the box, as one cell
  std::vector<double> places;  ///< the points, moved into a periodic box; 3 doubles each
  std::vector<bool> beyond;    ///< for each point: past a face where the box ends
  std::optional<BoundaryImages> images;
};
/// Sets up sums at points. Without `runs`, the plan in the facts may be provisional. Throws what
/// Session::evaluate throws.
PointSetup set_up_points(CloudSource& source, const DensityRequest& request,
                         std::span<const double> points, bool runs, Progress& progress);

/// Calls use(kernel, samples, index) for all that is summed: the cloud or its images, grouped by
/// kernel. index(i) is the sample that image i belongs to.
void for_each_kernel(
    const PointSetup& setup,
    const std::function<void(const Kernel& kernel, const SamplesView& samples,
                             const std::function<std::size_t(std::size_t)>& index)>& use);

/// Plans evaluate_at(), and below means_at_points(). Nothing is summed.
DensityPlan plan_points(CloudSource& source, const DensityRequest& request,
                        const TargetPoints& points, const PointWishes& wishes, Progress& progress);
DensityPlan plan_means(CloudSource& source, const DensityRequest& request,
                       const TargetPoints& points, std::size_t channels, Progress& progress);

/// Implements Session::evaluate for the samples that are open.
PointDensity evaluate_at(CloudSource& source, const DensityRequest& request,
                         const TargetPoints& points, const PointWishes& wishes, Progress& progress);

/// Implements Session::means for the samples that are open.
PointMeans means_at_points(CloudSource& source, const DensityRequest& request,
                           const TargetPoints& points, std::span<const double> b,
                           std::size_t channels, Progress& progress);

}  // namespace skde
