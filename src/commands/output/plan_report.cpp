#include "commands/output/plan_report.hpp"

#include <fmt/core.h>

#include <type_traits>
#include <variant>

#include "cli/exit_code.hpp"
#include "cli/report_parts.hpp"
#include "cli/results/report.hpp"
#include "cli/results/shared_tables.hpp"
#include "cli/text/terminal_text.hpp"
#include "core/space/grid.hpp"

namespace skde::cli {
namespace {

/// Returns the bytes needed for all samples and cells of the plan.
double bytes_of(const MemoryNeed& need, const DensityPlan& plan) {
  const auto samples = static_cast<double>(plan.cloud.samples);
  return need.bytes(samples, samples, static_cast<double>(plan.grid.cells()));
}

/// An engine's offer for a plan, whose needs are in bytes.
struct ServingOffer : Offer {
  const EngineEntry* entry = nullptr;
  bool is_chosen = false;
};
struct RefusedOffer : ServingOffer {};
using ShownOffer = std::variant<ServingOffer, RefusedOffer>;

std::vector<ShownOffer> offers_of(const DensityPlan& plan) {
  std::vector<ShownOffer> shown;
  for (const auto& [entry, offer] : plan.offers) {
    ServingOffer one{offer, entry, entry->traits.name == plan.engine};
    one.host = {bytes_of(offer.host, plan)};
    one.device = {bytes_of(offer.device, plan)};
    shown.push_back(offer.serves() ? ShownOffer(one) : ShownOffer(RefusedOffer{one}));
  }
  return shown;
}

template <class Offers>
void add_name(Fields<Offers>& add) {
  add(
      "name", {}, [](auto& one) { return std::string(one.entry->traits.name); },
      [](auto& one, const std::string& name) { one.entry = &engine_entry(name); });
}

std::string time_text(double seconds) { return seconds > 0 ? format_duration(seconds) : "-"; }
std::string memory_text(double bytes) { return bytes > 0 ? format_bytes(bytes) : "-"; }

std::vector<std::string> row_of(const EngineOffer& row, const DensityPlan& plan) {
  const Offer& offer = row.offer;
  return {row.entry->traits.name == plan.engine ? "*" : "",
          std::string(row.entry->traits.name),
          time_text(offer.seconds.run),
          time_text(offer.seconds.total()),
          memory_text(bytes_of(offer.host, plan)),
          memory_text(bytes_of(offer.device, plan)),
          offer.error > 0 ? fmt::format("{:.0e}", offer.error) : "-",
          offer.repeats ? "exactly" : "nearly"};
}

void add_offers(Report& report, const PlanShown& plan) {
  std::vector<std::vector<std::string>> rows{
      {"", "engine", "run", "in all", "host", "GPU", "error", "reproducible"}};
  for (const EngineOffer& row : plan.offers)
    if (row.offer.serves()) rows.push_back(row_of(row, plan));
  report.blank();
  for (std::string& line : aligned_rows(rows, {false, false, true, true, true, true, true, false}))
    report.heading(std::move(line));
  report.blank();
  for (const auto& [entry, offer] : plan.offers)
    if (!offer.serves())
      report.heading(
          fmt::format("- {} cannot compute it: {}", entry->traits.name, with_flags(offer.refusal)));
}

void add_offers_alone(Report& report, const OffersShown& plan) {
  const auto [nx, ny, nz] = plan.grid.dims;
  report.heading(fmt::format("{} samples onto {} x {} x {} cells, {} kernels",
                             format_count(static_cast<std::uint64_t>(plan.cloud.samples)), nx, ny,
                             nz, plan.kernel.function->name));
  add_offers(report, plan);
  report.heading(
      "* marks the engine used without --engine. Times are predictions; 'in all' includes the "
      "start of a\nGPU and the copies to it and back. Memory is in addition to the samples and the "
      "volume.");
}

std::string bandwidth_text(const PlanShown& plan) {
  const Bandwidth& bandwidth = plan.bandwidth;
  const std::string text =
      bandwidth.source == "samples" ? "per-sample"
      : bandwidth.h > 0 ? fmt::format("h = {} ({})", format_value(bandwidth.h), bandwidth.source)
                        : "H as given";
  return text + (plan.is_provisional ? ", until the run has chosen another" : "");
}

void add_sums(Report& report, const PlanShown& plan) {
  if (!plan.sums) return;
  if (plan.sums->window > 0)
    report.line("window", fmt::format("the last {} samples", format_count(plan.sums->window)));
  else
    report.line("part", fmt::format("{} of {}", plan.sums->part.part + 1, plan.sums->part.parts));
  report.line("digits",
              fmt::format("integer sums in units of 2^{} of the peak of a kernel of weight 1",
                          -plan.sums->head.problem.binary_digits));
}

std::string reach_text(const PlanShown& plan) {
  const Vec3 half = plan.kernel.half_extents();
  return fmt::format("{}, {}, {} along x, y, z", format_value(half.x), format_value(half.y),
                     format_value(half.z));
}

void add_grid_lines(Report& report, const PlanShown& plan) {
  add_grid(report, plan.grid, plan.precision, plan.columns.units());
  add_cells(report, plan.grid, plan.reach_ratio);
}

void add_rejected(Report& report, const PlanShown& plan) {
  for (const RejectedEngine& faster : plan.rejected)
    report.line("not " + faster.engine, "faster here, but " + faster.why);
}

void add_costs(Report& report, const PlanShown& plan) {
  if (plan.obstacle) return report.line("obstacle", with_flags(plan.obstacle->what()));
  const MemoryPlan& memory = plan.memory;
  const bool is_cut = memory.part_samples > 0 || memory.slabs > 1;  // then describe() has it
  report.line("memory",
              memory.describe() +
                  (is_cut ? ""
                          : fmt::format(", {} of memory",
                                        format_bytes(static_cast<double>(memory.host_bytes)))));
  const double seconds = plan.forecast.seconds;
  report.line("takes", seconds > 0 ? "about " + format_duration(seconds) : "unknown");
  report.line("result", format_bytes(plan.forecast.result_bytes));
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
  add_name(add);
  add("serves", [](auto&) { return std::true_type(); });
  add("chosen", &ServingOffer::is_chosen);
  add("seconds", &ServingOffer::seconds);
  add("error", &ServingOffer::error);
  add("repeats", &ServingOffer::repeats);
  add.object("memory", [](auto& part) {
    part(
        "host", [](auto& one) -> auto& { return one.host.fixed; });
    part(
        "device", [](auto& one) -> auto& { return one.device.fixed; });
  });
}

void add_fields(Fields<RefusedOffer>& add) {
  add.name("refusal");
  add_name(add);
  add("serves", [](auto&) { return std::false_type(); });
  add("refusal", &RefusedOffer::refusal);
}

void add_fields(Fields<OffersShown>& add) {
  add.name("offers", "skde engines --for CLOUD --json");
  add("inputs", &OffersShown::inputs);
  add.object("samples",
             [](auto& part) { part("used", [](auto& shown) { return shown.cloud.samples; }); });
  add("kernel", [](auto& shown) { return shown.kernel.function; });
  add("grid", [](auto& shown) { return StoredGrid{shown.grid, shown.precision}; });
  add("chosen", "the engine that --engine auto takes",
      [](auto& shown) { return known(shown.engine); });
  add("offers", [](auto& shown) { return offers_of(shown); });
  add.lines(add_offers_alone);
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
  add(
      "samples", "null where they are read once, while they are summed",
      [](auto& shown) { return when(!shown.one_pass, shown.counts); },
      [](auto& shown, const auto& counts) {
        shown.one_pass = !counts;
        shown.counts = counts.value_or(io::CloudCounts());
      });
  add.line("samples", [](auto& shown) {
    return shown.one_pass ? std::string("read once, while they are summed")
                          : counts_text(shown.counts);
  });
  add("blocks", kBlocksMeaning, [](auto& shown) { return shown.blocks; });
  add.lines([](auto& report, auto& shown) {
    if (shown.blocks) report.line("reads", shown.blocks->describe());
  });
  add("index_ignored", "why an index of the file is not used",
      [](auto& shown) { return known(shown.index_ignored); });
  add.lines([](auto& report, auto& shown) {
    if (!shown.index_ignored.empty()) report.line("index", shown.index_ignored);
  });
  add(
      "columns", {}, [](auto& shown) { return when(!shown.one_pass, shown.columns); },
      [](auto& shown, const auto& columns) {
        shown.columns = columns.value_or(io::ReadColumns());
      });
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
  add.lines(add_sums);
  add(
      "kernel", [](auto& shown) -> auto& { return shown.kernel.function; });
  add.line("kernel", [](auto& shown) { return kernel_text(shown.kernel.function, shown.columns); });
  add.line("bandwidth", bandwidth_text);
  add.line("reach", reach_text);
  add.object("bandwidth", [](auto& part) {
    part(
        "source", [](auto& shown) -> auto& { return shown.bandwidth.source; });
    part(
        "H", {}, [](auto& shown) { return shown.bandwidth.H; },
        [](auto& shown, const Symmetric3& H) { shown.bandwidth.H = shown.kernel.H = H; });
    part("half_extents", [](auto& shown) { return shown.kernel.half_extents(); });
    part("h", [](auto& shown) { return OrNull{shown.bandwidth.h}; });
    part("tolerance", "of what lies beyond the cut of the kernel; null: the usual one",
         [](auto& shown) { return OrNull{shown.kernel.tolerance}; });
  });
  add("is_provisional",
      "the run chooses the bandwidth or widths by sums; those of a rule stand in for them",
      &PlanShown::is_provisional);
  add(
      "grid", {},
      [](auto& shown) {
        return StoredGrid{shown.grid, shown.precision};
      },
      [](auto& shown, const StoredGrid& stored) {
        shown.grid = stored.grid;
        shown.precision = stored.precision;
      });
  add.lines(add_grid_lines);
  add("boundary", kBoundaryMeaning, &PlanShown::boundaries);
  add.line("boundary", [](auto& shown) { return boundary_text(shown.boundaries); });
  add("chosen", "the engine", [](auto& shown) { return OrNull{shown.engine}; });
  add.line("engine", [](auto& shown) { return shown.engine; });
  add("error_bound", kErrorMeaning, &PlanShown::error_bound);
  add("passed_over", &PlanShown::rejected);
  add.lines(add_rejected);
  add.lines(add_costs);
  add.lines(add_offers);
  add("memory", &PlanShown::memory);
  add("forecast", &PlanShown::forecast);
  add(
      "obstacle", "why it cannot be run",
      [](auto& shown) {
        const auto& obstacle = shown.obstacle;
        return known(obstacle ? with_flags(obstacle->what()) : "");
      },
      [](auto& shown, const auto& why) {
        if (why) shown.obstacle.emplace(ErrorKind::unsupported, *why);
      });
  add(
      "offers", {}, [](auto& shown) { return offers_of(shown); },
      [](auto& shown, const auto& offers) {
        for (const auto& offer : offers)
          std::visit([&](auto& one) { shown.offers.push_back({one.entry, one}); }, offer);
      });
}

}  // namespace skde::cli
