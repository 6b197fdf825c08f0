#include "estimate/read/adaptive_bandwidths.hpp"

#include <cmath>
#include <utility>

#include "engines/cpu/ranges/point_sums.hpp"
#include "estimate/sum/boundary_images.hpp"

namespace skde {
namespace {

/// Returns the pilot density at every sample, up to a factor; 0 beyond faces.
std::vector<double> pilot_with_images(const SamplesView& points, const AdaptiveSpec& spec,
                                      int threads, Progress& progress) {
  const Problem problem{spec.pilot, spec.grid};
  const BoundaryImages images(spec.boundaries, problem, spec.pilot.half_extents());
  Samples places;  // the first image of a sample in the box is the sample itself
  std::vector<bool> counts(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    Samples own;
    images.append(points, i, 0, BoundaryImages::Which::all, own);
    counts[i] = own.size() > 0;
    const double* const place = counts[i] ? own.xyz.data() : &points.xyz[3 * i];
    places.xyz.insert(places.xyz.end(), place, place + 3);
  }
  std::vector<double> sums(points.size(), 0.0);
  for (std::size_t pass = 0; pass < images.passes(); ++pass) {
    Samples sources;
    for (std::size_t i = 0; i < points.size(); ++i)
      images.append(points, i, pass, BoundaryImages::Which::all, sources);
    Kernel kernel = spec.pilot;
    kernel.H = images.matrix(pass);
    const std::vector<double> more = sums_at(places.xyz, kernel, sources.view(), threads, progress);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += counts[i] ? more[i] : 0;
  }
  return sums;
}

/// Replaces densities by per-sample bandwidth factors.
void apply_law(std::vector<double>& pilot, const SamplesView& points, double alpha) {
  double logs = 0, weight = 0;
  for (std::size_t i = 0; i < pilot.size(); ++i) {
    if (!(pilot[i] > 0 && points.weight(i) > 0)) continue;
    logs += points.weight(i) * std::log(pilot[i]);
    weight += points.weight(i);
  }
  const double mean = weight > 0 ? logs / weight : 0;
  for (double& value : pilot) value = value > 0 ? std::exp(-alpha * (std::log(value) - mean)) : 1;
}

}  // namespace

std::shared_ptr<const SampleCloud> adapted_cloud(const std::shared_ptr<const SampleCloud>& cloud,
                                                 const AdaptiveSpec& spec, int threads,
                                                 Progress& progress) {
  const SamplesView& points = cloud->points;
  std::vector<double> widths = has_boundary(spec.boundaries)
                                   ? pilot_with_images(points, spec, threads, progress)
                                   : sums_at(points.xyz, spec.pilot, points, threads, progress);
  apply_law(widths, points, spec.alpha);
  /// Keeps the cloud that the samples are shared with.
  struct Owner {
    std::shared_ptr<const SampleCloud> cloud;
    std::vector<double> bandwidth_factors;
  };
  const auto owner = std::make_shared<const Owner>(Owner{cloud, std::move(widths)});
  auto adapted = std::make_shared<SampleCloud>(*cloud);
  adapted->points.bandwidth_factors = owner->bandwidth_factors;
  adapted->shapes = {};
  adapted->shapes.add(adapted->points);
  adapted->owner = owner;
  return adapted;
}

}  // namespace skde
