#include <algorithm>
#include <limits>
#include <utility>

#include "core/report/error.hpp"
#include "engines/registry/offer_choice.hpp"
#include "engines/served.hpp"
#include "estimate/plan/image_parts.hpp"
#include "estimate/plan/planning.hpp"
#include "estimate/stream/slice_sink.hpp"

// Chooses the engine of a density, and divides the work to fit the memory that the engine needs.
namespace skde {
namespace {

/// An engine's offer, with its need for memory.
struct Candidate {
  const EngineOffer* offer = nullptr;
  MemoryQuestion question;
  std::string shortage;  ///< why it does not fit; empty if it does
};

/// Returns whether the files of a cloud in memory may be read again in parts.
bool may_be_read_in_parts(const Planning& planning) {
  const CloudSource& source = planning.source;
  return source.in_parts && !planning.plan.request.needs_all_samples() &&
         io::first_read_once(source.files.paths).empty();
}

/// Limits the device memory to what is free there. Waits until the device has started.
void ask_device(Planning& planning, MemoryQuestion& question, const EngineOffer& offer) {
  if (!question.on_device) return;
  EnginePlaces& places = planning.source.places;
  const Engine& engine =
      places.engine(std::string(offer.entry->traits.name), planning.plan.request.options);
  question.device_limit =
      std::min(question.device_limit, engine.free_memory() + places.held_bytes(engine));
}

/// Samples that leave too little room beside them are dropped from memory, and read again in parts.
Candidate candidate(Planning& planning, const EngineOffer& offer) {
  const bool in_memory = is_in_memory(planning);
  const std::optional<BoundaryImages> images = images_for(planning.plan, offer.offer);
  Candidate found{
      &offer, memory_question(planning, offer, images ? &*images : nullptr, in_memory), {}};
  ask_device(planning, found.question, offer);
  if (in_memory && !fits_in_memory(found.question) && may_be_read_in_parts(planning))
    found.question.in_memory = false;
  found.shortage = memory_shortage(found.question);
  return found;
}

/// Returns the best offer that fits into memory, or the best of all if none does.
Candidate automatic_choice(Planning& planning) {
  DensityPlan& plan = planning.plan;
  const std::vector<const EngineOffer*>& ranked = ranked_offers(planning);
  std::optional<Candidate> first;
  for (const EngineOffer* const offer : ranked) {
    try {
      Candidate next = candidate(planning, *offer);
      if (next.shortage.empty()) return next;
      plan.rejected.push_back({std::string(offer->entry->traits.name), next.shortage});
      if (!first) first = std::move(next);
    } catch (const Error& error) {  // the device fails, or there are too many images
      if (error.kind() == ErrorKind::cancelled || ranked.size() == 1) throw;
      plan.rejected.push_back({std::string(offer->entry->traits.name), error.problem()});
    }
  }
  plan.rejected.clear();
  return first ? *first : candidate(planning, *ranked.front());
}

Candidate named_choice(Planning& planning) {
  const DensityPlan& plan = planning.plan;
  require_served(planning.source.places.engine(plan.request.engine, plan.request.options),
                 plan.problem, plan.cloud);
  return candidate(planning, offer_of(plan.offers, plan.request.engine));
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

const std::vector<const EngineOffer*>& ranked_offers(Planning& planning) {
  const DensityPlan& plan = planning.plan;
  if (planning.ranked.empty())
    planning.ranked = ranked_offers(plan.offers, plan.request.tolerance,
                                    {plan.request.device, planning.source.options.resident});
  return planning.ranked;
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
    const Candidate chosen =
        plan.request.is_automatic() ? automatic_choice(planning) : named_choice(planning);
    const EngineTraits& traits = chosen.offer->entry->traits;
    plan.engine = traits.name;
    plan.device = traits.device;
    plan.error_bound = chosen.offer->offer.error + 0.5 * shift_error(plan.request);
    plan.memory = plan_memory(chosen.question);
    if (is_linear(plan.boundaries) && !plan.memory.is_whole())
      throw Error(
          ErrorKind::resources,
          "values that are corrected at faces need the whole volume in memory",
          {"memory_limit", "raise `memory_limit`, use smaller `dims`, or `boundary=reflect`"});
    plan.forecast = forecast_of(plan, chosen.offer->offer);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled) throw;
    plan.obstacle = error;
  }
}

}  // namespace skde
