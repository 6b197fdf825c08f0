#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/results/shared_tables.hpp"
#include "commands/output/plan_report.hpp"

namespace skde::cli {
namespace {

/// An engine that serves the plan.
struct ServingOffer {
  const EngineOffer* row;
  const DensityPlan* plan;
};
struct RefusedOffer {
  const EngineOffer* row;
};
using ShownOffer = std::variant<ServingOffer, RefusedOffer>;

std::vector<ShownOffer> offers_of(const DensityPlan& plan) {
  std::vector<ShownOffer> shown;
  for (const EngineOffer& row : plan.offers)
    shown.push_back(row.offer.serves() ? ShownOffer(ServingOffer{&row, &plan})
                                       : ShownOffer(RefusedOffer{&row}));
  return shown;
}

}  // namespace

void add_fields(Fields<OfferTimes>& add) {
  add("start", &OfferTimes::start);
  add("upload", &OfferTimes::upload);
  add("run", &OfferTimes::run);
  add("download", &OfferTimes::download);
  add("total", &OfferTimes::total);
}

void add_fields(Fields<ServingOffer>& add) {
  add.name("offer");
  add("name", [](auto& one) { return one.row->entry->traits.name; });
  add("serves", [](auto&) { return std::true_type(); });
  add("chosen", [](auto& one) { return one.row->entry->traits.name == one.plan->engine; });
  add("seconds", [](auto& one) { return one.row->offer.seconds; });
  add("error", [](auto& one) { return one.row->offer.error; });
  add("repeats", [](auto& one) { return one.row->offer.repeats; });
  add.object("memory", [](auto& part) {
    part("host", [](auto& one) { return bytes_of(one.row->offer.host, *one.plan); });
    part("device", [](auto& one) { return bytes_of(one.row->offer.device, *one.plan); });
  });
}

void add_fields(Fields<RefusedOffer>& add) {
  add.name("refusal");
  add("name", [](auto& one) { return one.row->entry->traits.name; });
  add("serves", [](auto&) { return std::false_type(); });
  add("refusal", [](auto& one) { return one.row->offer.refusal; });
}

void add_fields(Fields<OffersShown>& add) {
  add.name("offers", "skde engines --for CLOUD --json");
  add("inputs", &OffersShown::inputs);
  add.object("samples", [](auto& part) {
    part("used", [](auto& shown) { return shown.plan->cloud.samples; });
  });
  add("kernel", [](auto& shown) { return shown.plan->kernel.function; });
  add("grid", [](auto& shown) { return StoredGrid{shown.plan->grid, shown.plan->precision}; });
  add("chosen", "the engine that --engine auto takes",
      [](auto& shown) { return known(shown.plan->engine); });
  add("offers", [](auto& shown) { return offers_of(*shown.plan); });
}

void add_fields(Fields<WorkForecast>& add) {
  add.name("forecast");
  add("seconds", &WorkForecast::seconds);
  add("host_bytes", "beside the samples", &WorkForecast::host_bytes);
  add("result_bytes", &WorkForecast::result_bytes);
  add("on_device", &WorkForecast::on_device);
}

void add_fields(Fields<MemoryPlan>& add) {
  add("part_samples", "read at a time; 0: all are in memory", &MemoryPlan::part_samples);
  add("slabs", &MemoryPlan::slabs);
  add("slab_slices", &MemoryPlan::slab_slices);
  add("volume_bytes", &MemoryPlan::volume_bytes);
  add("host_bytes", "peak memory of the plan", &MemoryPlan::host_bytes);
}

void add_fields(Fields<PlanShown>& add) {
  add.name("plan", "skde density CLOUD... --plan --json");
  add("inputs", &PlanShown::inputs);
  add("samples", "null where they are read once, while they are summed",
      [](auto& shown) { return when(!shown.plan->one_pass, shown.plan->counts); });
  add("columns", [](auto& shown) { return when(!shown.plan->one_pass, shown.plan->columns); });
  add("part", "of partial sums, or of a window: errors are 0, as they follow from the peak",
      [](auto& shown) {
        return found_in(shown.sums, [](auto& sums) { return sums.part.part + 1; });
      });
  add("parts",
      [](auto& shown) { return found_in(shown.sums, [](auto& sums) { return sums.part.parts; }); });
  add("window", "samples that are held at a time; 0: there is no window",
      [](auto& shown) { return found_in(shown.sums, [](auto& sums) { return sums.window; }); });
  add("binary_digits", [](auto& shown) {
    return found_in(shown.sums, [](auto& sums) { return sums.head.problem.binary_digits; });
  });
  add("kernel", [](auto& shown) { return shown.plan->kernel.function; });
  add.object("bandwidth", [](auto& part) {
    part("source", [](auto& shown) { return shown.plan->bandwidth.source; });
    part("H", [](auto& shown) { return shown.plan->bandwidth.H; });
    part("half_extents", [](auto& shown) { return shown.plan->kernel.half_extents(); });
    part("h", [](auto& shown) { return positive(shown.plan->bandwidth.h); });
  });
  add("is_provisional",
      "the run chooses the bandwidth or widths by sums; those of a rule stand in for them",
      [](auto& shown) { return shown.plan->is_provisional; });
  add("grid", [](auto& shown) { return StoredGrid{shown.plan->grid, shown.plan->precision}; });
  add("boundary", kBoundaryMeaning, [](auto& shown) { return shown.plan->boundaries; });
  add("chosen", "the engine", [](auto& shown) { return known(shown.plan->engine); });
  add("error_bound", kErrorMeaning, [](auto& shown) { return shown.plan->error_bound; });
  add("passed_over", [](auto& shown) { return shown.plan->rejected; });
  add("memory", [](auto& shown) { return shown.plan->memory; });
  add("forecast", [](auto& shown) { return shown.plan->forecast; });
  add("obstacle", "why it cannot be run", [](auto& shown) {
    const auto& obstacle = shown.plan->obstacle;
    return known(obstacle ? with_flags(obstacle->what()) : "");
  });
  add("offers", [](auto& shown) { return offers_of(*shown.plan); });
}

}  // namespace skde::cli
