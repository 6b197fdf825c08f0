#include "estimate/read/piloted_cloud.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/kernel/sample_shapes.hpp"
#include "core/space/grid.hpp"
#include "engines/cpu/ranges/range_reduction.hpp"
#include "engines/cpu/ranges/round_space.hpp"
#include "engines/registry/mean_shifts.hpp"

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

/// Where the Gaussian pilot is cut, as a share of its peak. The rest moves a place by less than its
/// rounding.
constexpr double kPilotCut = 1e-13;

/// Returns H M^-1 v for H with some axes reversed: M has the entries of H but for signs. The axes
/// are scaled to unit variances first, as they may have unlike units.
Vec3 unmirrored(const Symmetric3& H, const Symmetric3& M, Vec3 v) {
  if (H == M) return v;
  const Vec3 s{std::sqrt(H.xx), std::sqrt(H.yy), std::sqrt(H.zz)};
  const auto scaled = [&](const Symmetric3& m) {
    return Symmetric3{1, m.xy / (s.x * s.y), m.xz / (s.x * s.z), 1, m.yz / (s.y * s.z), 1};
  };
  const Eigen3 axes = eigen_decomposition(scaled(M));
  const Vec3 u{v.x / s.x, v.y / s.y, v.z / s.z};
  Vec3 g;  // M^-1 v of the scaled axes
  for (std::size_t a = 0; a < 3; ++a) {
    const Vec3& axis = axes.vectors[a];
    g = g + ((axis.x * u.x + axis.y * u.y + axis.z * u.z) / axes.values[a]) * axis;
  }
  const Symmetric3 c = scaled(H);
  return {s.x * (g.x + c.xy * g.y + c.xz * g.z), s.y * (c.xy * g.x + g.y + c.yz * g.z),
          s.z * (c.xz * g.x + c.yz * g.y + g.z)};
}

/// Returns G grad log f at every sample, where f is the density by Gaussians of covariance G.
std::vector<Vec3> pilot_shifts(const PilotSamples& samples, const Symmetric3& G,
                               const MeanShiftEffort& effort, Progress& progress) {
  const std::span<const double> places = samples.places();
  std::vector<Vec3> shifts(places.size() / 3);
  std::vector<double> sums(shifts.size(), 0.0);
  samples.for_each([&](const Kernel& kernel, const SamplesView& sources) {
    const std::vector<double> found = mean_shifts(kernel.H, sources, places, effort, progress);
    const std::vector<double> more =
        samples.kernels() == 1 ? std::vector<double>(sums.size(), 1.0)
                               : sums_at(places, kernel, sources, effort.threads, progress);
    for (std::size_t i = 0; i < shifts.size(); ++i) {
      const Vec3 own = unmirrored(G, kernel.H, {found[3 * i], found[3 * i + 1], found[3 * i + 2]});
      sums[i] += more[i];
      if (sums[i] > 0) shifts[i] = shifts[i] + (more[i] / sums[i]) * (own - shifts[i]);
    }
  });
  return shifts;
}

/// Returns a move that is at most as long as the kernel reaches.
Vec3 within_reach(const RoundSpace& round, double reach, Vec3 move) {
  const Vec3 u = round(move);
  const double length = std::hypot(u.x, u.y, u.z);
  return length > reach ? (reach / length) * move : move;
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

std::shared_ptr<const SampleCloud> sharpened_cloud(const std::shared_ptr<const SampleCloud>& cloud,
                                                   const PilotSpec& spec, int threads,
                                                   Progress& progress) {
  const SamplesView& points = cloud->points;
  const Kernel pilot{KernelFunction::gaussian, spec.kernel.function->variance * spec.kernel.H,
                     kPilotCut};
  const PilotSamples samples(points, spec, pilot);
  const std::vector<Vec3> shifts = pilot_shifts(
      samples, pilot.H, {.threads = threads, .error = spec.error, .gpu = spec.gpu}, progress);
  const RoundSpace round(spec.kernel.H, {});
  const Box bounds = cloud->moments.bounds(), box = spec.grid.bounds();
  std::vector<double> xyz(points.xyz.begin(), points.xyz.end());
  // A mean lies among what it is of: only rounding would place it outside of the cloud. Moves by
  // mirrored kernels are no means.
  const bool mirrors = samples.kernels() > 1;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!samples.counts(i)) continue;
    const Vec3 move = within_reach(round, spec.kernel.cut(), 0.5 * shifts[i]);
    for (int a = 0; a < 3; ++a) {
      const Boundary boundary = spec.boundaries[static_cast<std::size_t>(a)];
      const double place = samples.places()[3 * i + static_cast<std::size_t>(a)] + move[a];
      double& moved = xyz[3 * i + static_cast<std::size_t>(a)];
      if (boundary == Boundary::reflect || boundary == Boundary::periodic)
        moved = settled_place(boundary, place, box.lower[a], box.upper[a]);
      else
        moved = mirrors ? place : std::clamp(place, bounds.lower[a], bounds.upper[a]);
    }
  }
  /// Keeps the cloud that the samples are shared with.
  struct Owner {
    std::shared_ptr<const SampleCloud> cloud;
    std::vector<double> xyz;
  };
  const auto owner = std::make_shared<const Owner>(Owner{cloud, std::move(xyz)});
  auto sharpened = std::make_shared<SampleCloud>(*cloud);
  sharpened->points.xyz = owner->xyz;
  sharpened->owner = owner;
  return sharpened;
}

}  // namespace skde
