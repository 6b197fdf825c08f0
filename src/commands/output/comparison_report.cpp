#include "commands/output/comparison_report.hpp"

#include <fmt/core.h>

#include "cli/json_document.hpp"
#include "cli/number_format.hpp"
#include "cli/report.hpp"
#include "cli/report_parts.hpp"

namespace skde::cli {
namespace {

std::string divergence_text(const Divergence& divergence, const char* first, const char* second) {
  if (divergence.undefined_mass == 0) return fmt::format("{} nats", format_value(divergence.value));
  return fmt::format("infinite: {} of the mass of {} lies where {} is 0; {} nats over the rest",
                     format_value(divergence.undefined_mass), first, second,
                     format_value(divergence.value));
}

nlohmann::ordered_json divergence_json(const Divergence& divergence) {
  return {{"value", divergence.value}, {"undefined_mass", divergence.undefined_mass}};
}

void add_resampled(Report& report, const ResampledFacts& resampled) {
  report.line("resampled",
              fmt::format("{}, trilinear between cell centres: mass {} before, {} of it inside the "
                          "other box, {} after",
                          resampled.path, format_value(resampled.mass_before),
                          format_value(resampled.mass_inside), format_value(resampled.mass_after)));
}

void add_ratio(Report& report, const ComparisonRun& run) {
  const RatioFacts& ratio = *run.ratio;
  const char* const what =
      ratio.values == "ratio" ? "A / max(B, floor)" : "ln(max(A, floor) / max(B, floor))";
  report.line("ratio", fmt::format("{}, floor {} = {:g} of B's peak; B is below it in {} of the "
                                   "cells",
                                   what, format_value(ratio.floor), ratio.share,
                                   format_share(static_cast<double>(ratio.floored_cells) /
                                                static_cast<double>(run.grid.cells()))));
}

}  // namespace

std::string comparison_text(const ComparisonRun& run) {
  const DensityComparison& found = run.found;
  Report report;
  report.line("A", run.path_a);
  report.line("B", run.path_b);
  add_grid(report, run.grid, run.precision, run.units);
  if (run.resampled) add_resampled(report, *run.resampled);
  report.line("mass in box",
              fmt::format("A {}, B {}{}", format_value(found.mass_a), format_value(found.mass_b),
                          found.normalized ? "; each divided by it" : ""));
  report.line("overlap", format_value(found.overlap));
  report.line("L1", format_value(found.l1));
  report.line("L2", format_value(found.l2));
  report.line("largest", format_value(found.largest));
  report.line("Hellinger", format_value(found.hellinger));
  report.line("KL(A|B)", divergence_text(found.a_from_b, "A", "B"));
  report.line("KL(B|A)", divergence_text(found.b_from_a, "B", "A"));
  report.line("Jensen-Shannon", fmt::format("{} nats", format_value(found.jensen_shannon)));
  report.line("earth mover's",
              fmt::format("{} along x, {} along y, {} along z{}, of the marginals scaled to mass 1",
                          format_value(found.earth_movers[0]), format_value(found.earth_movers[1]),
                          format_value(found.earth_movers[2]), unit_suffix(run.units)));
  if (run.ratio) add_ratio(report, run);
  add_written(report, run.written);
  return report.text();
}

nlohmann::ordered_json comparison_json(const ComparisonRun& run) {
  const DensityComparison& found = run.found;
  nlohmann::ordered_json json = json_document("comparison");
  json["inputs"] = {run.path_a, run.path_b};
  json["grid"] = grid_json(run.grid, run.precision);
  json["units"] = text_or_null(run.units);
  json["masses"] = {found.mass_a, found.mass_b};
  json["normalized"] = found.normalized;
  json["overlap"] = found.overlap;
  json["l1"] = found.l1;
  json["l2"] = found.l2;
  json["largest"] = found.largest;
  json["hellinger"] = found.hellinger;
  json["kullback_leibler"] = {{"a_from_b", divergence_json(found.a_from_b)},
                              {"b_from_a", divergence_json(found.b_from_a)}};
  json["jensen_shannon"] = found.jensen_shannon;
  json["earth_movers"] = found.earth_movers;
  json["resampled"] = nullptr;
  if (run.resampled)
    json["resampled"] = {{"path", run.resampled->path},
                         {"mass_before", run.resampled->mass_before},
                         {"mass_inside", run.resampled->mass_inside},
                         {"mass_after", run.resampled->mass_after}};
  json["ratio"] = nullptr;
  if (run.ratio)
    json["ratio"] = {{"values", run.ratio->values},
                     {"floor_share", run.ratio->share},
                     {"floor", run.ratio->floor},
                     {"floored_cells", run.ratio->floored_cells}};
  json["warnings"] = warnings_json(run.warnings);
  json["written"] = written_json(run.written);
  return json;
}

}  // namespace skde::cli
