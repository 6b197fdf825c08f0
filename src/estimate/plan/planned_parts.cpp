#include "estimate/plan/planned_parts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/report/error.hpp"
#include "estimate/plan/planning.hpp"
#include "estimate/read/sample_parts.hpp"

namespace skde {
namespace {

/// W is known only after the last sample. The first samples give its order of magnitude, so that
/// sums of floats stay in range. It is a power of two, which causes no rounding.
void choose_weight_unit(const DensityPlan& plan, FileParts& parts, Problem& problem) {
  if (!plan.cloud.weighted) return;
  const double mean = parts.first_mean_weight();
  if (mean > 0 && std::isfinite(mean))
    problem.total_weight *= std::exp2(std::rint(std::log2(mean)));
}

std::unique_ptr<SampleParts> cloud_parts(CloudSource& source, const DensityPlan& plan,
                                         Engine* loads) {
  const auto& cloud = plan.request.has_pilot() ? source.adapted : source.cloud;
  if (!cloud)
    throw Error(ErrorKind::usage,
                "the samples of the plan are no longer in memory; make a new plan");
  const LoadedSamples* const loaded =
      loads != nullptr ? &source.engines.loaded(*loads, cloud->points, source.stages) : nullptr;
  return std::make_unique<MemoryParts>(cloud->points, loaded, cloud);
}

std::unique_ptr<FileParts> file_parts(CloudSource& source, const DensityPlan& plan,
                                      StartedParts& started, const BoundaryImages* images,
                                      Engine& engine, Problem& problem, Progress& progress) {
  Engine* const loads = images ? nullptr : &engine;
  const std::int64_t samples = plan.memory.part_samples;
  std::unique_ptr<FileParts> parts = std::move(started.parts);
  if (parts && !parts->are_for(static_cast<std::size_t>(samples), loads)) parts.reset();
  if (!parts) parts = open_parts(source, plan, started.look, samples, loads, progress);
  const bool once = plan.memory.is_whole() && plan.one_pass && (!images || images->passes() == 1);
  if (!once) require_read_again(source.files.paths, source.memory_limit());
  if (plan.one_pass) choose_weight_unit(plan, *parts, problem);
  return parts;
}

}  // namespace

std::shared_ptr<const Samples> read_blocks(CloudSource& source, const BlockChoice& blocks,
                                           Progress& progress) {
  source.stamps.require_unchanged();
  source.beginning.reset();
  return std::make_shared<const Samples>(timed_stage(source.stages, "reading", [&] {
    io::CloudStream stream(source.files.paths, source.files.columns, source.files.non_finite,
                           {.files = source.files.open, .rows = blocks.read});
    return io::load_cloud(stream, blocks.read_samples(), progress).points;
  }));
}

bool all_inside(const DensityDecisions& plan) {
  if (plan.one_pass || plan.cloud.shaped) return false;
  // Sharpened by mirrored kernels, samples may leave the cloud's bounds.
  if (plan.request.sharpen && has_boundary(plan.boundaries)) return false;
  return is_inside(plan.grid, plan.moments.bounds(), plan.kernel, plan.boundaries);
}

std::unique_ptr<StartedParts> start_parts(const DensityPlan& plan) {
  return std::make_unique<StartedParts>(
      StartedParts{PartStatistics(plan.problem, plan.boundaries, !all_inside(plan))});
}

std::unique_ptr<FileParts> open_parts(CloudSource& source, const DensityPlan& plan,
                                      const PartStatistics& look, std::int64_t samples_a_part,
                                      Engine* engine, Progress& progress) {
  auto parts = std::make_unique<FileParts>(source.files, static_cast<std::size_t>(samples_a_part),
                                           engine, progress);
  parts->look_with(&look);
  if (auto beginning = std::exchange(source.beginning, {}))
    parts->begin_with(*std::move(beginning));
  parts->expect(source.stamps,
                plan.one_pass ? std::nullopt : std::optional(PassTotals::of(plan.moments)));
  return parts;
}

PlannedParts make_parts(CloudSource& source, const DensityPlan& plan, Engine& engine,
                        Problem& problem, Progress& progress) {
  PlannedParts made{std::move(source.started), nullptr};
  if (!made.started) made.started = start_parts(plan);
  const Offer& offer = offer_of(plan.offers, plan.engine).offer;
  std::optional<BoundaryImages> images = images_for(plan, offer);
  const bool in_memory = plan.memory.part_samples == 0;
  // Samples that the faces change are loaded only after the change.
  const bool keeps = !images || (in_memory && images->keeps(plan.moments.bounds()));
  if (plan.blocks) {
    // Their samples are added in the groups in which the whole cloud's would be.
    made.parts = std::make_unique<SlicedParts>(read_blocks(source, *plan.blocks, progress),
                                               plan.blocks->part_ends, engine);
  } else if (in_memory) {
    made.parts = cloud_parts(source, plan, keeps ? &engine : nullptr);
  } else {
    auto files = file_parts(source, plan, *made.started, images ? &*images : nullptr, engine,
                            problem, progress);
    made.files = files.get();
    made.parts = std::move(files);
  }
  if (images)
    made.parts = std::make_unique<ImageParts>(std::move(made.parts), *std::move(images), engine,
                                              images_a_part(plan), keeps, progress);
  if (!offer.wraps) problem.periods = {};  // images replace them
  return made;
}

}  // namespace skde
