#include "analysis/density_estimate.hpp"

#include <chrono>
#include <utility>

#include "core/error.hpp"
#include "engines/registry.hpp"

namespace skde {
namespace {

/// Appends a stage that the host's clock times.
template <class Work>
auto timed_stage(StageTimes& stages, std::string name, Work&& work) {
  const auto begin = std::chrono::steady_clock::now();
  auto result = work();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  stages.push_back({std::move(name), seconds.count()});
  return result;
}

void append(StageTimes& stages, StageTimes more) {
  for (StageTime& stage : more) stages.push_back(std::move(stage));
}

/// True where some kernel may reach a cell centre: the cloud's box widened by the kernel meets the
/// grid.
bool may_overlap(const Box& cloud, Vec3 support, const Box& grid) {
  for (int axis = 0; axis < 3; ++axis)
    if (cloud.upper[axis] + support[axis] <= grid.lower[axis] ||
        cloud.lower[axis] - support[axis] >= grid.upper[axis])
      return false;
  return true;
}

/// The factor from a density over all space to what was asked for; `mass` is that inside the box.
double normalization_factor(Normalization normalization, double mass, double total_weight) {
  switch (normalization) {
    case Normalization::box:
      return 1 / mass;
    case Normalization::count:
      return total_weight;
    case Normalization::density:
      break;
  }
  return 1;
}

}  // namespace

DensityEstimate estimate_density(const PointsView& points, const DensityRequest& request,
                                 Progress& progress) {
  const std::string name = request.engine.empty() ? std::string(default_engine()) : request.engine;
  const std::unique_ptr<Engine> engine = make_engine(name, request.options);

  DensityEstimate estimate;
  estimate.engine = name;
  append(estimate.stages, engine->load(points));
  estimate.moments = timed_stage(estimate.stages, "moments", [&] { return engine->moments(); });
  if (estimate.moments.count() == 0)
    throw Error(ErrorKind::input, "no samples: every row was empty, dropped or of weight 0");
  estimate.bandwidth = select_bandwidth(estimate.moments, request.bandwidth, request.kernel);
  estimate.kernel = {request.kernel, estimate.bandwidth.H};

  const Vec3 support = estimate.kernel.half_extents();
  const Box cloud = estimate.moments.bounds();
  const Grid grid = request.like ? *request.like : make_grid(request.grid, cloud, support);
  if (!may_overlap(cloud, support, grid.bounds()))
    throw Error(ErrorKind::input,
                "all samples are outside the box, and so are their kernels; check --bounds against "
                "the bounds that `skde info` prints");

  append(estimate.stages,
         engine->prepare({estimate.kernel, grid, estimate.moments.total_weight()}));
  auto buffer = timed_stage(estimate.stages, "allocate", [&] { return engine->make_buffer(); });
  append(estimate.stages, engine->run(*buffer, progress));
  estimate.launch_policy = engine->launch_policy();
  estimate.volume = timed_stage(estimate.stages, "collect", [&] { return buffer->take_volume(); });

  estimate.mass_in_box =
      timed_stage(estimate.stages, "mass", [&] { return estimate.volume.mass(); });
  if (!(estimate.mass_in_box > 0))
    throw Error(
        ErrorKind::input,
        "no kernel covers a cell centre of the grid: the density is 0 everywhere; use smaller "
        "cells (--dims, --spacing), a larger --bandwidth, or other --bounds");
  const double factor = normalization_factor(request.normalization, estimate.mass_in_box,
                                             estimate.moments.total_weight());
  if (factor != 1) estimate.volume.scale(factor);
  return estimate;
}

DensityMetadata describe(const DensityEstimate& estimate, Normalization normalization) {
  DensityMetadata metadata;
  metadata.kernel = estimate.kernel.function;
  metadata.H = estimate.kernel.H;
  metadata.h = estimate.bandwidth.h;
  metadata.bandwidth_source = estimate.bandwidth.source;
  metadata.samples = estimate.moments.count();
  metadata.total_weight = estimate.moments.total_weight();
  metadata.effective_samples = estimate.moments.effective_samples();
  metadata.mass_in_box = estimate.mass_in_box;
  metadata.normalization = normalization;
  metadata.engine = estimate.engine;
  return metadata;
}

}  // namespace skde
