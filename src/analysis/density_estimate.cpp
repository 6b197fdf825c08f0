#include "analysis/density_estimate.hpp"

#include <algorithm>
#include <utility>

#include "analysis/accumulation.hpp"
#include "core/error.hpp"
#include "core/stop_watch.hpp"
#include "engines/engine_choice.hpp"
#include "engines/registry.hpp"

namespace skde {
namespace {

/// Appends a stage that the host's clock times.
template <class Work>
auto timed_stage(StageTimes& stages, std::string name, Work&& work) {
  const StopWatch watch;
  auto result = work();
  stages.push_back({std::move(name), watch.seconds()});
  return result;
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

void require_overlap(const Box& cloud, Vec3 support, const Grid& grid) {
  if (!may_overlap(cloud, support, grid.bounds()))
    throw Error(ErrorKind::input,
                "all samples are outside the box, and so are their kernels; check --bounds against "
                "the bounds that `skde info` prints");
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

namespace {

/// True where no engine is named, and the case decides.
bool is_auto(const DensityRequest& request) {
  return request.engine.empty() || request.engine == "auto";
}

/// The engine that is named, or the one for this grid and so many samples.
std::unique_ptr<Engine> engine_for(const DensityRequest& request, const Grid& grid,
                                   std::int64_t samples, bool weighted, DensityEstimate& estimate) {
  if (is_auto(request))
    estimate.engine = choose_engine(
        {samples, weighted, request.kernel, make_ellipsoid(estimate.kernel.H, grid), grid},
        request.options, request.device);
  else
    estimate.engine = request.engine;
  return make_engine(estimate.engine, request.options);
}

/// Bandwidth and grid, from the moments.
Grid choose_kernel_and_grid(const DensityRequest& request, DensityEstimate& estimate) {
  if (estimate.moments.count() == 0)
    throw Error(ErrorKind::input, "no samples: every row was empty, dropped or of weight 0");
  estimate.bandwidth = select_bandwidth(estimate.moments, request.bandwidth, request.kernel);
  estimate.kernel = {request.kernel, estimate.bandwidth.H};
  const Vec3 support = estimate.kernel.half_extents();
  const Box cloud = estimate.moments.bounds();
  const Grid grid = request.like ? *request.like : make_grid(request.grid, cloud, support);
  require_overlap(cloud, support, grid);
  return grid;
}

/// Cuts the work, says how, and does it.
void sum_volume(Engine& engine, SampleChunks& chunks, const Grid& grid, std::int64_t part_samples,
                double total_weight, Moments* moments, const DensityRequest& request,
                DensityEstimate& estimate, Progress& progress) {
  const Precision precision = request.options.precision;
  estimate.plan = plan_memory(engine, grid, precision,
                              static_cast<std::int64_t>(estimate.moments.count()), part_samples);
  if (request.on_plan) request.on_plan(estimate.plan);
  Accumulation sum = accumulate(engine, chunks, estimate.kernel, grid, total_weight, precision,
                                estimate.plan, moments, progress);
  add_stages(estimate.stages, sum.stages);
  estimate.volume = std::move(sum.volume);
  estimate.work = sum.work;
  estimate.engine_seconds = sum.engine_seconds;
  estimate.launch_policy = engine.launch_policy();
}

/// The mass of a volume, some slices at a time. Throws Error(cancelled).
double sum_mass(const Volume& volume, Progress& progress) {
  constexpr std::int64_t kSlices = 32;
  const std::int64_t slices = volume.grid().dims[2];
  progress.begin("mass", static_cast<std::uint64_t>(slices), "slices");
  double sum = 0;
  for (std::int64_t z = 0; z < slices; z += kSlices) {
    progress.throw_if_cancelled();
    sum += volume.sum_of(z, std::min(kSlices, slices - z));
    progress.update(static_cast<std::uint64_t>(std::min(z + kSlices, slices)));
  }
  return sum * volume.grid().cell_volume();
}

/// Mass and normalisation; the values are a density of `scale` times what they should be.
void finish(const DensityRequest& request, double scale, DensityEstimate& estimate,
            Progress& progress) {
  estimate.mass_in_box = timed_stage(estimate.stages, "mass",
                                     [&] { return sum_mass(estimate.volume, progress) / scale; });
  if (!(estimate.mass_in_box > 0))
    throw Error(
        ErrorKind::input,
        "no kernel covers a cell centre of the grid: the density is 0 everywhere; use smaller "
        "cells (--dims, --spacing), a larger --bandwidth, or other --bounds");
  const double factor = normalization_factor(request.normalization, estimate.mass_in_box,
                                             estimate.moments.total_weight()) /
                        scale;
  if (factor != 1) estimate.volume.scale(factor);
}

/// The first pass over files: their moments.
void read_moments(const CloudFiles& files, std::int64_t part_samples, const DensityRequest& request,
                  DensityEstimate& estimate, Progress& progress) {
  FileChunks chunks(files, static_cast<std::size_t>(part_samples), nullptr, progress);
  chunks.rewind();
  progress.begin("moments", 0, "samples");
  for (PointsView part = chunks.next(); part.size() > 0; part = chunks.next()) {
    progress.throw_if_cancelled();
    estimate.moments.merge(compute_moments(part, request.options.threads));
    progress.update(estimate.moments.count());
  }
}

/// Parts for the pass before the grid is known: little, as moments need no more.
constexpr std::int64_t kMomentSamples = std::int64_t{1} << 20;

}  // namespace

bool takes_one_pass(const DensityRequest& request) {
  const bool kernel = std::holds_alternative<Vec3>(request.bandwidth.bandwidth) ||
                      std::holds_alternative<Symmetric3>(request.bandwidth.bandwidth);
  return kernel && (request.like || request.grid.bounds);
}

DensityEstimate estimate_density(const PointsView& points, const DensityRequest& request,
                                 Progress& progress) {
  DensityEstimate estimate;
  std::unique_ptr<Engine> engine;
  if (!is_auto(request)) {
    engine = make_engine(request.engine, request.options);
    estimate.engine = request.engine;
    add_stages(estimate.stages, engine->load(points));
  }
  estimate.moments = timed_stage(estimate.stages, "moments", [&] {
    return engine ? engine->moments() : compute_moments(points, request.options.threads);
  });
  const Grid grid = choose_kernel_and_grid(request, estimate);
  if (!engine) {
    engine = engine_for(request, grid, static_cast<std::int64_t>(points.size()), points.weighted(),
                        estimate);
    add_stages(estimate.stages, engine->load(points));
  }
  MemoryChunks chunks(points);
  sum_volume(*engine, chunks, grid, 0, estimate.moments.total_weight(), nullptr, request, estimate,
             progress);
  finish(request, 1, estimate, progress);
  return estimate;
}

DensityEstimate estimate_density(const CloudFiles& files, const DensityRequest& request,
                                 std::int64_t memory_limit, io::CloudCounts& counts,
                                 Progress& progress) {
  DensityEstimate estimate;
  if (!is_auto(request)) make_engine(request.engine, request.options);  // throws before reading
  const bool one_pass = takes_one_pass(request);
  Grid grid;
  if (one_pass) {
    estimate.bandwidth = select_bandwidth({}, request.bandwidth, request.kernel);
    estimate.kernel = {request.kernel, estimate.bandwidth.H};
    grid = request.like ? *request.like : make_grid(request.grid, {}, {});
  } else {
    timed_stage(estimate.stages, "first pass", [&] {
      read_moments(files, kMomentSamples, request, estimate, progress);
      return 0;
    });
    grid = choose_kernel_and_grid(request, estimate);
  }
  const std::int64_t part = samples_at_a_time(grid, request.options.precision, memory_limit);
  // A cloud that is read in parts is a large one, if nobody has counted it yet.
  constexpr std::int64_t kMany = 100000000;
  const std::unique_ptr<Engine> engine = engine_for(
      request, grid, one_pass ? kMany : static_cast<std::int64_t>(estimate.moments.count()),
      !files.columns.weight.empty(), estimate);
  FileChunks chunks(files, static_cast<std::size_t>(part), engine.get(), progress);
  // In one pass W is known after the last sample alone, so the volume is summed for W = 1.
  const double summed_for = one_pass ? 1 : estimate.moments.total_weight();
  sum_volume(*engine, chunks, grid, part, summed_for, one_pass ? &estimate.moments : nullptr,
             request, estimate, progress);
  counts = chunks.counts();
  if (one_pass) require_overlap(estimate.moments.bounds(), estimate.kernel.half_extents(), grid);
  finish(request, estimate.moments.total_weight() / summed_for, estimate, progress);
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
