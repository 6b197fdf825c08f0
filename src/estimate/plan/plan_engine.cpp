#include <algorithm>
#include <limits>

#include "core/report/error.hpp"
#include "engines/registry/offer_choice.hpp"
#include "estimate/plan/engine_choice.hpp"
#include "estimate/plan/planning.hpp"
#include "estimate/read/sample_parts.hpp"
#include "estimate/values/slice_sink.hpp"

// Chooses the engine of a density, and divides the work to fit the memory that the engine needs.
namespace skde {
namespace {

/// Returns whether the files of a cloud in memory may be read again in parts.
bool may_be_read_in_parts(const Planning& planning) {
  const CloudSource& source = planning.source;
  return source.in_parts && !needs_all_samples(source, planning.plan.request) &&
         io::first_read_once(source.files.paths).empty();
}

/// Limits the device memory to what is free there. Waits until the device has started.
void ask_device(Planning& planning, MemoryQuestion& question, const EngineOffer& offer) {
  if (!question.on_device) return;
  SessionEngines& engines = planning.source.engines;
  const Engine& engine =
      engines.named(std::string(offer.entry->traits.name), planning.plan.request.options);
  question.device_limit =
      std::min(question.device_limit, engine.free_memory() + engines.held_bytes(engine));
}

/// Samples that leave too little room beside them are dropped from memory, and read again in parts.
MemoryQuestion question_of(Planning& planning, const EngineOffer& offer) {
  const bool in_memory = is_in_memory(planning);
  const std::optional<BoundaryImages> images = images_for(planning.plan, offer.offer);
  MemoryQuestion question =
      memory_question(planning, offer, images ? &*images : nullptr, in_memory);
  ask_device(planning, question, offer);
  if (in_memory && !fits_in_memory(question) && may_be_read_in_parts(planning))
    question.in_memory = false;
  return question;
}

/// Predicts what the run takes.
WorkForecast forecast_of(const DensityPlan& plan, const Offer& offer) {
  const CloudFacts& cloud = plan.cloud;
  const double held =
      plan.memory.part_samples > 0
          ? 0
          : host_sample_bytes(cloud.weighted, cloud.shaped) * static_cast<double>(cloud.samples);
  return {.seconds = offer.seconds.total(),
          .host_bytes = static_cast<double>(plan.memory.host_bytes) - held,
          .result_bytes = static_cast<double>(plan.memory.volume_bytes),
          .on_device = plan.device != Device::cpu};
}

}  // namespace

EngineWish wish_of(const Planning& planning) {
  return {planning.plan.request.device, planning.source.options.resident, planning.orders.exact};
}

std::optional<BoundaryImages> images_for(const DensityPlan& plan, const Offer& offer) {
  Boundaries boundaries = plan.boundaries;
  if (offer.wraps) std::ranges::replace(boundaries, Boundary::periodic, Boundary::none);
  if (!has_boundary(boundaries)) return std::nullopt;
  return BoundaryImages(boundaries, plan.problem, plan.reach);
}

std::size_t images_a_part(const DensityPlan& plan) {
  constexpr std::int64_t kFewest = std::int64_t{1} << 18, kMost = std::int64_t{1} << 21;
  return static_cast<std::size_t>(std::clamp(plan.cloud.samples / 8, kFewest, kMost));
}

MemoryQuestion memory_question(const Planning& planning, const EngineOffer& offer,
                               const BoundaryImages* images, bool in_memory) {
  const DensityPlan& plan = planning.plan;
  const CloudFacts& cloud = plan.cloud;
  const CloudSource& source = planning.source;
  MemoryQuestion question{plan.grid, plan.precision, offer.offer.host, offer.offer.device};
  question.samples = plan.one_pass ? planning.rows : cloud.samples;
  question.weighted = cloud.weighted;
  question.shaped = cloud.shaped;
  // Sharpened samples are held beside those of the cloud.
  if (plan.request.sharpen) question.made_samples = static_cast<double>(question.samples);
  if (images) question.made_samples += ImageParts::held(images_a_part(plan));
  if (images && images->passes() > 1)
    question.host.value += 2 * static_cast<double>(value_bytes(plan.precision));
  if (is_linear(plan.boundaries))  // corrected values, and sums of distances
    question.host.value += 2 * static_cast<double>(value_bytes(plan.precision));
  question.in_memory = in_memory;
  question.use = plan.use;
  if (const SliceSink* const sink = planning.orders.sink)
    question.sink_bytes = sink->held_bytes(plan.grid, plan.precision);
  question.on_device = offer.entry->traits.device != Device::cpu;
  const std::int64_t given = plan.request.options.device_memory;
  question.device_limit = given > 0 ? given : std::numeric_limits<std::int64_t>::max();
  question.host_limit = planning.host_limit.value_or(source.memory_limit());
  if (source.cloud && source.options.memory_limit == 0)
    question.host_limit += static_cast<std::int64_t>(  // the cloud is not part of the available
                                                       // memory
        host_sample_bytes(cloud.weighted, cloud.shaped) * static_cast<double>(cloud.samples));
  return question;
}

void choose_engine(Planning& planning) {
  DensityPlan& plan = planning.plan;
  try {
    const EngineOffer& chosen = choose_engine(
        plan, permitted_offers(planning.source.engines, plan.request, plan, wish_of(planning)),
        [&](const EngineOffer& offer) { return memory_shortage(question_of(planning, offer)); });
    plan.memory = plan_memory(question_of(planning, chosen));
    if (is_linear(plan.boundaries) && !plan.memory.is_whole())
      throw Error(
          ErrorKind::resources,
          "values that are corrected at faces need the whole volume in memory",
          {"memory_limit", "raise `memory_limit`, use smaller `dims`, or `boundary=reflect`"});
    plan.forecast = forecast_of(plan, chosen.offer);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled) throw;
    plan.obstacle = error;
  }
}

}  // namespace skde
