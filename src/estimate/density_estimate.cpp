#include "estimate/density_estimate.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "engines/registry.hpp"
#include "estimate/accumulation.hpp"

namespace skde {
namespace {

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
  const double factor = normalization_factor(request.normalization, estimate.mass_in_box,
                                             estimate.moments.total_weight()) /
                        scale;
  if (factor != 1) estimate.volume.scale(factor);
}

/// Keeps what was chosen, and returns the grid.
Grid keep(const DensitySetup& setup, DensityEstimate& estimate) {
  estimate.bandwidth = setup.bandwidth;
  estimate.kernel = setup.kernel;
  return setup.grid;
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
  if (!is_automatic(request)) {
    engine = make_engine(request.engine, request.options);
    estimate.engine = request.engine;
    add_stages(estimate.stages, engine->load(points));
  }
  estimate.moments = timed_stage(estimate.stages, "moments", [&] {
    return engine ? engine->moments() : compute_moments(points, request.options.threads);
  });
  const DensitySetup setup = set_up_density(request, estimate.moments);
  const Grid grid = keep(setup, estimate);
  if (!engine) {
    estimate.engine =
        engine_for(request, setup, static_cast<std::int64_t>(points.size()), points.weighted());
    engine = make_engine(estimate.engine, request.options);
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
  if (!is_automatic(request))
    make_engine(request.engine, request.options);  // throws before reading
  const bool one_pass = takes_one_pass(request);
  DensitySetup setup;
  if (one_pass) {
    setup.bandwidth = select_bandwidth({}, request.bandwidth, request.kernel);
    setup.kernel = {request.kernel, setup.bandwidth.H};
    setup.grid = request.like ? *request.like : make_grid(request.grid, {}, {});
  } else {
    timed_stage(estimate.stages, "first pass", [&] {
      read_moments(files, kMomentSamples, request, estimate, progress);
      return 0;
    });
    setup = set_up_density(request, estimate.moments);
  }
  const Grid grid = keep(setup, estimate);
  const std::int64_t part = samples_at_a_time(grid, request.options.precision, memory_limit);
  // A cloud that is read in parts is a large one, if nobody has counted it yet.
  constexpr std::int64_t kMany = 100000000;
  estimate.engine = engine_for(
      request, setup, one_pass ? kMany : static_cast<std::int64_t>(estimate.moments.count()),
      !files.columns.weight.empty());
  const std::unique_ptr<Engine> engine = make_engine(estimate.engine, request.options);
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
