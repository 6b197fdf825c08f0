
#include <cmath>
#include <utility>

#include "core/kernel/sample_shapes.hpp"
#include "engines/cpu/ranges/range_reduction.hpp"
#include "estimate/read/piloted_cloud.hpp"

namespace skde {
namespace {

/// Returns the pilot density at every sample, up to a factor; 0 beyond faces.
std::vector<double> pilot_at_samples(const SamplesView& points, const PilotSpec& spec, int threads,
                                     Progress& progress) {
  const PilotSamples samples(points, spec, spec.kernel);
  std::vector<double> sums(points.size(), 0.0);
  samples.for_each([&](const Kernel& kernel, const SamplesView& sources) {
    const std::vector<double> more = sums_at(samples.places(), kernel, sources, threads, progress);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += samples.counts(i) ? more[i] : 0;
  });
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
                                                 const PilotSpec& spec, int threads,
                                                 Progress& progress) {
  const SamplesView& points = cloud->points;
  std::vector<double> widths = pilot_at_samples(points, spec, threads, progress);
  apply_law(widths, points, *spec.alpha);
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

std::vector<double> own_kernels(std::shared_ptr<const SampleCloud> cloud,
                                const DensityDecisions& plan, Progress& progress) {
  if (cloud && plan.adaptive)
    cloud = adapted_cloud(cloud, pilot_spec(plan.request, plan.kernel, plan.grid),
                          plan.request.options.threads, progress);
  if (!cloud || !cloud->points.shaped()) return {};
  const SampleShapes shapes(plan.kernel, plan.grid, plan.min_width);
  std::vector<double> all;
  for (std::size_t i = 0; i < cloud->points.size(); ++i) {
    const Symmetric3 m = plan.kernel.function->variance * shapes.matrix_of(cloud->points, i);
    all.insert(all.end(), {m.xx, m.xy, m.xz, m.yy, m.yz, m.zz});
  }
  return all;
}

}  // namespace skde
