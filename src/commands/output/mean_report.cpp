#include "commands/output/mean_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/report_parts.hpp"
#include "cli/results/report.hpp"
#include "cli/results/shared_tables.hpp"
#include "cli/text/terminal_text.hpp"

namespace skde::cli {
namespace {

std::uint64_t places_of(const MeanRun& run) {
  return run.points ? run.points->evaluated : static_cast<std::uint64_t>(run.facts.grid.cells());
}

void add_estimate(Report& report, const MeanRun& run) {
  const DensityFacts& facts = run.facts;
  report.line("kernel", kernel_text(facts.kernel.function, facts.columns));
  add_bandwidth(report, facts.bandwidth);
  if (has_boundary(facts.boundaries)) report.line("boundary", boundary_text(facts.boundaries));
  if (!run.points) add_grid(report, facts.grid, run.precision, facts.columns.units());
  report.line(run.points ? "points" : "cells",
              fmt::format("{}, of which no sample reaches {}", format_count(places_of(run)),
                          format_count(run.unreached)));
}

}  // namespace

void keep_warnings(MeanRun& run) {
  run.warnings.insert(run.warnings.begin(), run.facts.warnings.begin(), run.facts.warnings.end());
  const auto warn = [&](const char* kind, std::string message, ErrorAdvice advice = {}) {
    run.warnings.push_back({kind, std::move(message), std::move(advice)});
  };
  if (const std::uint64_t dropped = run.counts.dropped(); dropped > 0)
    warn("samples",
         fmt::format(
             "{} of {} rows of the cloud were dropped: no finite position, value or weight{}",
             dropped, run.counts.rows, run.counts.zero_width > 0 ? ", or a width of 0" : ""),
         {{}, "correct these rows to use them"});
  if (run.points && run.points->rows > run.points->evaluated)
    warn("points",
         fmt::format("{} of {} points have a coordinate that is not finite; their means "
                     "are nan",
                     run.points->rows - run.points->evaluated, run.points->rows),
         {{}, "correct these points"});
  if (run.unreached > 0)
    warn("unreached",
         fmt::format("no sample reaches {} of {} {}; their means are nan", run.unreached,
                     places_of(run), run.points ? "points" : "cells"),
         {"bandwidth", "use a larger `bandwidth`, or `kernel=gaussian`"});
}

void add_fields(Fields<MeanPoints>& add) {
  add.name("points");
  add("file", &MeanPoints::file);
  add("rows", &MeanPoints::rows);
  add("evaluated", "the others have a coordinate that is not finite", &MeanPoints::evaluated);
  add("unreached", "where the density is 0", &MeanPoints::unreached);
}

void add_fields(Fields<MeanRun>& add) {
  add.name("smoothing", "skde smooth CLOUD --value COLUMN,... -o OUT --json");
  add("inputs", &MeanRun::inputs);
  add.line("samples", [](auto& run) { return counts_text(run.counts); });
  add.line("columns", [](auto& run) { return columns_text(run.columns, ""); });
  add("values", "columns of the cloud", &MeanRun::values);
  add.line("values", [](auto& run) { return fmt::format("{}", fmt::join(run.values, ", ")); });
  add("points", "null on a grid", &MeanRun::points);
  add("grid", "null at points", [](auto& run) {
    return when(!run.points, StoredGrid{run.facts.grid, run.precision});
  });
  add("unreached", "number of points or cells whose means are nan", &MeanRun::unreached);
  add("columns", &MeanRun::columns);
  add("used", [](auto& run) { return run.facts.moments.count(); });
  add("dropped", [](auto& run) { return run.counts.dropped(); });
  add("left_out", "rows for which the condition of --where does not hold",
      [](auto& run) { return run.counts.left_out; });
  add("total_weight", [](auto& run) { return run.facts.moments.total_weight(); });
  add("kernel", [](auto& run) { return run.facts.kernel.function; });
  add.object("bandwidth", [](auto& part) {
    part("source", [](auto& run) { return run.facts.bandwidth.source; });
    part("H", [](auto& run) { return run.facts.bandwidth.H; });
  });
  add("boundary", kBoundaryMeaning, [](auto& run) { return run.facts.boundaries; });
  add.lines(add_estimate);
  add("seconds", &MeanRun::seconds);
  add.line("took", [](auto& run) { return format_duration(run.seconds); });
  add("warnings", &MeanRun::warnings);
  add_written(add);
}

}  // namespace skde::cli
