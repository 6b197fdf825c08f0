#pragma once

#include <functional>
#include <vector>

#include "estimate/point_values.hpp"
#include "estimate/read/cloud_source.hpp"
#include "estimate/session.hpp"
#include "estimate/sum/boundary_images.hpp"

namespace skde {

/// Bandwidth and kernels of the samples as sums at points need them, with what the faces of the box
/// make of them.
struct PointSetup {
  DensityFacts facts;
  std::shared_ptr<const SampleCloud> cloud;  ///< with widths where they adapt
  Problem box;                               ///< over the box, as one cell
  std::vector<double> places;  ///< the points, brought into a periodic box; 3 doubles each
  std::vector<bool> beyond;    ///< points past faces where the box ends
  std::optional<BoundaryImages> images;
};
/// Without `runs` the plan among the facts may be provisional. Throws what Session::evaluate says.
PointSetup set_up_points(CloudSource& source, const DensityRequest& request,
                         std::span<const double> points, bool runs, Progress& progress);

/// Calls use(kernel, samples, index) for all that is summed: the cloud, or its images, those of
/// each kernel together; index(i) is the sample that image i is of.
void for_each_kernel(
    const PointSetup& setup,
    const std::function<void(const Kernel& kernel, const SamplesView& samples,
                             const std::function<std::size_t(std::size_t)>& index)>& use);

/// What evaluate_at() and means_at_points() would do; nothing is summed.
DensityPlan plan_points(CloudSource& source, const DensityRequest& request,
                        const TargetPoints& points, const PointWishes& wishes, Progress& progress);
DensityPlan plan_means(CloudSource& source, const DensityRequest& request,
                       const TargetPoints& points, std::size_t channels, Progress& progress);

/// Session::evaluate of samples that are open.
PointDensity evaluate_at(CloudSource& source, const DensityRequest& request,
                         const TargetPoints& points, const PointWishes& wishes, Progress& progress);

/// Session::means of samples that are open.
PointMeans means_at_points(CloudSource& source, const DensityRequest& request,
                           const TargetPoints& points, std::span<const double> b,
                           std::size_t channels, Progress& progress);

}  // namespace skde
