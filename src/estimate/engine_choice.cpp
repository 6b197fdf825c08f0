#include <algorithm>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "engines/offer_choice.hpp"
#include "engines/served.hpp"
#include "estimate/density_work.hpp"

// How a density comes to its engine, and is cut to what that needs memory for.
namespace skde {

OfferTable DensityWork::offers() {
  OfferTable table{known_.cloud, request_.kernel, facts_.grid, request_.precision, offers_, {}};
  try {
    table.chosen = automatic_choice().offer->entry->traits.name;
  } catch (const Error&) {  // every engine refuses, which the table tells
  }
  facts_.passed_over.clear();
  return table;
}

/// Files that are read again for what is in memory now.
bool DensityWork::may_be_read_in_parts() const {
  return source_.in_parts && !request_.adaptive && io::first_read_once(source_.files.paths).empty();
}

MemoryQuestion DensityWork::memory_question(const EngineOffer& offer, const BoundaryImages* images,
                                            bool in_memory) {
  const CloudFacts& cloud = known_.cloud;
  MemoryQuestion question{facts_.grid, facts_.precision, offer.offer.host, offer.offer.device};
  question.samples = one_pass_ ? known_.rows : cloud.samples;
  question.weighted = cloud.weighted;
  question.shaped = cloud.shaped;
  if (images) question.made_samples = ImageParts::held(images_a_part());
  if (images && images->passes() > 1)
    question.host.value += 2 * static_cast<double>(value_bytes(facts_.precision));
  question.in_memory = in_memory;
  question.use = use_;
  if (sink_ != nullptr) question.sink_bytes = sink_->held_bytes(facts_.grid, facts_.precision);
  question.on_device = offer.entry->traits.device != Device::cpu;
  const std::int64_t given = request_.options.device_memory;
  question.device_limit = given > 0 ? given : std::numeric_limits<std::int64_t>::max();
  question.host_limit = host_limit_.value_or(source_.memory_limit());
  if (source_.cloud && source_.options.memory_limit == 0)
    question.host_limit += static_cast<std::int64_t>(  // what is available is so beside the cloud
        host_sample_bytes(cloud.weighted, cloud.shaped) * static_cast<double>(cloud.samples));
  return question;
}

/// What the device has free is no more than was asked for. Waits until it has started.
void DensityWork::ask_device(MemoryQuestion& question, const EngineOffer& offer) {
  if (!question.on_device) return;
  const Engine& engine =
      source_.places.engine(std::string(offer.entry->traits.name), request_.options);
  question.device_limit =
      std::min(question.device_limit, engine.free_memory() + source_.places.held_bytes(engine));
}

/// Samples that were read and leave no room beside them go, and are read again in parts.
DensityWork::Candidate DensityWork::candidate(const EngineOffer& offer) {
  const std::optional<BoundaryImages> images = images_for(offer.offer);
  Candidate found{
      &offer, memory_question(offer, images ? &*images : nullptr, source_.cloud != nullptr), {}};
  ask_device(found.question, offer);
  if (source_.cloud && !fits_in_memory(found.question) && may_be_read_in_parts())
    found.question.in_memory = false;
  found.shortage = memory_shortage(found.question);
  return found;
}

/// The best offer that can be held, or the best of all where none can.
DensityWork::Candidate DensityWork::automatic_choice() {
  const std::vector<const EngineOffer*> ranked =
      ranked_offers(offers_, request_.tolerance, {request_.device, source_.options.resident});
  facts_.passed_over.clear();
  std::optional<Candidate> first;
  for (const EngineOffer* const offer : ranked) {
    try {
      Candidate next = candidate(*offer);
      if (next.shortage.empty()) return next;
      facts_.passed_over.push_back({std::string(offer->entry->traits.name), next.shortage});
      if (!first) first = std::move(next);
    } catch (const Error& error) {  // of a device that cannot be asked, or of too many images
      if (error.kind() == ErrorKind::cancelled || ranked.size() == 1) throw;
      facts_.passed_over.push_back({std::string(offer->entry->traits.name), error.problem()});
    }
  }
  facts_.passed_over.clear();
  return first ? *first : candidate(*ranked.front());
}

/// The offer that is chosen unless its memory falls short; null where none is.
const EngineOffer* DensityWork::likely_choice() const {
  if (request_.is_automatic()) {
    const std::vector<const EngineOffer*> ranked =
        ranked_offers(offers_, request_.tolerance, {request_.device, source_.options.resident});
    return ranked.empty() ? nullptr : ranked.front();
  }
  const auto offer =
      std::ranges::find(offers_, &engine_entry(request_.engine), &EngineOffer::entry);
  return offer == offers_.end() || !offer->offer.refusal.empty() ? nullptr : &*offer;
}

DensityWork::Candidate DensityWork::named_choice() {
  const EngineEntry& entry = engine_entry(request_.engine);
  require_served(source_.places.engine(request_.engine, request_.options), problem_, known_.cloud);
  return candidate(*std::ranges::find(offers_, &entry, &EngineOffer::entry));
}

void DensityWork::choose_engine() {
  const Candidate chosen = request_.is_automatic() ? automatic_choice() : named_choice();
  chosen_ = chosen.offer;
  const EngineTraits& traits = chosen_->entry->traits;
  facts_.engine = traits.name;
  facts_.device = traits.device;
  facts_.error_bound = chosen_->offer.error;
  engine_ = &source_.places.engine(facts_.engine, request_.options);
  facts_.plan = plan_memory(chosen.question);
  if (source_.cloud && !chosen.question.in_memory) {
    source_.places.forget_samples();
    source_.cloud.reset();
  }
  if (source_.options.on_plan) source_.options.on_plan(facts_.plan);
}

void DensityWork::foretell() {
  const CloudFacts& cloud = known_.cloud;
  const double held =
      facts_.plan.part_samples > 0
          ? 0
          : host_sample_bytes(cloud.weighted, cloud.shaped) * static_cast<double>(cloud.samples);
  progress_.expect({.engine = facts_.engine,
                    .seconds = chosen_->offer.seconds.total(),
                    .host_bytes = static_cast<double>(facts_.plan.host_bytes) - held,
                    .result_bytes = static_cast<double>(facts_.plan.volume_bytes),
                    .on_device = facts_.device != Device::cpu});
}

}  // namespace skde
