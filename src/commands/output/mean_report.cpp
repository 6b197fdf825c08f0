#include "commands/output/mean_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/json_document.hpp"
#include "cli/number_format.hpp"
#include "cli/report.hpp"
#include "cli/report_parts.hpp"

namespace skde::cli {
namespace {

using Json = nlohmann::ordered_json;

std::uint64_t places_of(const MeanRun& run) {
  return run.points ? run.points->evaluated : static_cast<std::uint64_t>(run.facts.grid.cells());
}

}  // namespace

void keep_warnings(MeanRun& run) {
  run.warnings.insert(run.warnings.begin(), run.facts.warnings.begin(), run.facts.warnings.end());
  const auto warn = [&](const char* kind, std::string message, ErrorAdvice advice = {}) {
    run.warnings.push_back({kind, std::move(message), std::move(advice)});
  };
  if (const std::uint64_t dropped = run.counts.dropped(); dropped > 0)
    warn("samples", fmt::format("{} of {} rows of the cloud were dropped: no place, value or "
                                "weight",
                                dropped, run.counts.rows));
  if (run.points && run.points->rows > run.points->evaluated)
    warn("points", fmt::format("{} of {} points have a coordinate that is not finite; their means "
                               "are nan",
                               run.points->rows - run.points->evaluated, run.points->rows));
  if (run.unreached > 0)
    warn("unreached",
         fmt::format("no sample reaches {} of {} {}; their means are nan", run.unreached,
                     places_of(run), run.points ? "points" : "cells"),
         {"bandwidth", "use a larger `bandwidth`, or the Gaussian"});
}

std::string mean_summary(const MeanRun& run) {
  const DensityFacts& facts = run.facts;
  Report report;
  report.line("samples", counts_text(run.counts));
  report.line("columns", columns_text(run.columns, ""));
  report.line("values", fmt::format("{}", fmt::join(run.values, ", ")));
  report.line("kernel", kernel_text(facts.kernel.function, facts.columns));
  add_bandwidth(report, facts.bandwidth);
  if (has_boundary(facts.boundaries)) report.line("boundary", boundary_text(facts.boundaries));
  if (!run.points) add_grid(report, facts.grid, run.precision, facts.columns.units());
  report.line(run.points ? "points" : "cells",
              fmt::format("{}, of which no sample reaches {}", format_count(places_of(run)),
                          format_count(run.unreached)));
  report.line("took", format_duration(run.seconds));
  add_written(report, run.written);
  return report.text();
}

nlohmann::ordered_json mean_json(const MeanRun& run) {
  const DensityFacts& facts = run.facts;
  Json json = json_document("smoothing");
  json["inputs"] = run.inputs;
  json["values"] = run.values;
  json["points"] = nullptr;
  json["grid"] = nullptr;
  if (run.points)
    json["points"] = {{"file", run.points->file},
                      {"rows", run.points->rows},
                      {"evaluated", run.points->evaluated},
                      {"unreached", run.unreached}};
  else
    json["grid"] = grid_json(facts.grid, run.precision);
  json["unreached"] = run.unreached;
  json["columns"] = columns_json(run.columns);
  json["used"] = facts.moments.count();
  json["dropped"] = run.counts.dropped();
  json["left_out"] = run.counts.left_out;
  json["total_weight"] = facts.moments.total_weight();
  json["kernel"] = facts.kernel.function->name;
  json["bandwidth"] = {{"source", facts.bandwidth.source}, {"H", matrix_json(facts.bandwidth.H)}};
  json["boundary"] = boundary_json(facts.boundaries);
  json["seconds"] = run.seconds;
  json["warnings"] = warnings_json(run.warnings);
  json["written"] = written_json(run.written);
  return json;
}

}  // namespace skde::cli
