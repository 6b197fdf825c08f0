#include "commands/output/density_report.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "cli/json_document.hpp"
#include "cli/number_format.hpp"
#include "cli/report.hpp"
#include "cli/report_parts.hpp"
#include "core/version.hpp"

namespace skde::cli {
namespace {

using Json = nlohmann::ordered_json;

/// With a reach of fewer cells, sums over cell centres are off from the integrals by percents.
constexpr double kFewestCells = 2;

std::string bandwidth_text(const DensityRun& run) {
  const Bandwidth& bandwidth = run.facts->bandwidth;
  if (bandwidth.source == "samples") return "H of each sample's own, the mean of which follows";
  if (bandwidth.h == 0) return "H as given";
  const bool length = run.covariance == "iso";
  return fmt::format("h = {}{} ({}), {}", format_value(bandwidth.h),
                     length ? unit_suffix(run.units) : "", bandwidth.source,
                     length ? "H = h^2 I" : fmt::format("H = h^2 S, S {}", run.covariance));
}

/// "h = 0.42, 2.2 times narrower".
std::string plug_in_text(const DensityRun& run) {
  constexpr double kAsWide = 1.05;  // two digits tell no less
  const double h = run.facts->bandwidth.h, other = *run.plug_in_h;
  const double ratio = std::max(h / other, other / h);
  return fmt::format("h = {}{}, {}; use it by --bandwidth plug-in", format_value(other),
                     run.covariance == "iso" ? unit_suffix(run.units) : "",
                     ratio < kAsWide
                         ? "about as wide"
                         : fmt::format("{:.2g} times {}", ratio, other < h ? "narrower" : "wider"));
}

std::string values_text(const DensityRun& run) {
  const std::string_view integral =
      run.facts->normalization == Normalization::box     ? "integral 1 over the box"
      : run.facts->normalization == Normalization::count ? "integral W over all space"
                                                         : "integral 1 over all space";
  return fmt::format("{}, peak {}", integral, format_value(run.facts->peak));
}

std::string engine_text(const DensityFacts& facts) {
  std::string text = facts.engine;
  if (!facts.launch_policy.empty()) text += ": " + facts.launch_policy;
  if (facts.updates_per_second() > 0)
    text += ", " + format_rate(facts.updates_per_second(), "updates");
  return text;
}

void add_samples(Report& report, const DensityRun& run) {
  const Moments& moments = run.facts->moments;
  report.line("samples", counts_text(run.facts->counts));
  report.line("columns", columns_text(run.facts->columns, run.units));
  report.line("weights", fmt::format("W = {}, n_eff = {}", format_value(moments.total_weight()),
                                     format_value(moments.effective_samples())));
  add_box(report, "cloud", moments.bounds());
}

void add_kernel(Report& report, const DensityRun& run) {
  const DensityFacts& facts = *run.facts;
  const Vec3 half = facts.kernel.half_extents(), d = facts.grid.spacing;
  report.line("kernel", kernel_text(facts.kernel.function, facts.columns));
  report.line("bandwidth", bandwidth_text(run));
  add_judge(report, facts.bandwidth);
  if (run.plug_in_h) report.line("plug-in", plug_in_text(run));
  if (facts.bandwidth.uses_covariance && run.covariance != "robust" && run.covariance != "file")
    add_outliers(report, facts.moments);
  if (facts.adaptive)
    report.line("adaptive",
                fmt::format("every sample's own lengths, {} to {} times those of the "
                            "bandwidth (alpha {:g})",
                            format_value(facts.adaptive->least),
                            format_value(facts.adaptive->largest), facts.adaptive->alpha));
  add_matrix(report, "H", facts.bandwidth.H);
  report.line("reach",
              fmt::format("{}, {}, {}{} ({:.1f}, {:.1f}, {:.1f} cells) along x, y, z",
                          format_value(half.x), format_value(half.y), format_value(half.z),
                          unit_suffix(run.units), half.x / d.x, half.y / d.y, half.z / d.z));
}

/// A hint where the cells are too large for the kernel to be seen, so that the mass is off as well.
void add_resolution_note(Report& report, const DensityFacts& facts) {
  const Grid& grid = facts.grid;
  const double thinnest = thinnest_half_width(facts.kernel.H, grid);
  if (thinnest >= kFewestCells) return;
  const Vec3 half = facts.kernel.half_extents();
  std::string where = fmt::format("{:.1f} cells where they are thinnest", thinnest);
  for (int axis = 0; axis < 3; ++axis) {
    const double cells = half[axis] / grid.spacing[axis];
    if (cells >= kFewestCells) continue;
    where = fmt::format("{:.1f} cells along {}", cells, kAxisNames[axis]);
    break;
  }
  report.line("note", fmt::format("kernels reach {}: the grid is coarse for them, use more --dims "
                                  "or a smaller --spacing",
                                  where));
}

std::string mass_text(const DensityFacts& facts) {
  std::string text = format_share(facts.mass_in_box);
  if (facts.unseen_mass() > 0)
    text += fmt::format("; about {} is lost: its kernels are in the box, but cover no cell centre",
                        format_share(facts.unseen_mass()));
  return text;
}

void add_times(Report& report, const DensityRun& run, bool verbose) {
  const std::string memory = format_bytes(static_cast<double>(run.peak_memory));
  if (!verbose)
    return report.line("took",
                       fmt::format("{}, {} of memory", format_duration(run.seconds), memory));
  std::vector<std::vector<std::string>> rows;
  for (const StageTime& stage : run.stages)
    rows.push_back({stage.stage, format_duration(stage.seconds)});
  rows.push_back({"total", format_duration(run.seconds)});
  report.table("times", rows);
  report.line("memory", memory + " at most");
}

nlohmann::ordered_json adaptive_json(const std::optional<AdaptiveFacts>& adaptive) {
  if (!adaptive) return nullptr;
  return {{"alpha", adaptive->alpha},
          {"least_width", adaptive->least},
          {"largest_width", adaptive->largest}};
}

}  // namespace

std::string density_summary(const DensityRun& run, bool verbose) {
  const DensityFacts& facts = *run.facts;
  const MeasuredError measured = facts.measured.value_or(MeasuredError{});
  Report report;
  add_samples(report, run);
  add_kernel(report, run);
  add_grid(report, facts.grid, facts.precision, run.units);
  add_cells(report, facts.grid, facts.reach_ratio);
  if (has_boundary(facts.boundaries)) report.line("boundary", boundary_text(facts.boundaries));
  report.line("mass in box", mass_text(facts));
  report.line("values", values_text(run));
  report.line("accuracy", accuracy_text(facts.error_bound, measured.error, measured.cells));
  add_resolution_note(report, facts);
  report.line("engine", engine_text(facts));
  for (const RejectedEngine& faster : facts.rejected)
    report.line("not " + faster.engine, "the faster engine here, but " + faster.why);
  if (facts.memory.part_samples > 0 || facts.memory.slabs > 1)
    report.line("plan", facts.memory.describe());
  add_times(report, run, verbose);
  add_written(report, run.written);
  return report.text();
}

nlohmann::ordered_json density_json(const DensityRun& run) {
  const DensityFacts& facts = *run.facts;
  const Moments& moments = facts.moments;
  Json json = json_document("density");
  json["version"] = kVersion;
  json["inputs"] = run.inputs;
  json["samples"] = counts_json(run.facts->counts);
  json["columns"] = columns_json(run.facts->columns);
  json["total_weight"] = moments.total_weight();
  json["effective_samples"] = moments.effective_samples();
  json["cloud"] = moments_json(moments);
  json["kernel"] = facts.kernel.function->name;
  json["bandwidth"] = {{"source", facts.bandwidth.source},
                       {"covariance", run.covariance},
                       {"H", matrix_json(facts.bandwidth.H)},
                       {"half_extents", vector_json(facts.kernel.half_extents())}};
  json["bandwidth"]["h"] = facts.bandwidth.h > 0 ? Json(facts.bandwidth.h) : Json(nullptr);
  json["bandwidth"]["outlier_widening"] = outlier_widening(facts.moments);
  json["adaptive"] = adaptive_json(facts.adaptive);
  json["units"] = text_or_null(run.units);
  json["grid"] = grid_json(facts.grid, facts.precision);
  json["boundary"] = boundary_json(facts.boundaries);
  json["mass_in_box"] = facts.mass_in_box;
  json["error_bound"] = facts.error_bound;
  json["measured_error"] = nullptr;
  if (facts.measured)
    json["measured_error"] = {{"error", facts.measured->error}, {"cells", facts.measured->cells}};
  json["unseen_mass"] = facts.unseen_mass();
  json["normalization"] = word_of(kNormalizations, run.facts->normalization);
  json["peak"] = run.facts->peak;
  json["plan"] = {{"part_samples", facts.memory.part_samples},
                  {"slabs", facts.memory.slabs},
                  {"slab_slices", facts.memory.slab_slices}};
  json["engine"] = {{"name", facts.engine},
                    {"launch_policy", facts.launch_policy},
                    {"updates", facts.work.updates},
                    {"seconds", facts.engine_seconds},
                    {"updates_per_second", facts.updates_per_second()},
                    {"passed_over", Json::array()}};
  for (const RejectedEngine& faster : facts.rejected)
    json["engine"]["passed_over"].push_back({{"name", faster.engine}, {"reason", faster.why}});
  json["stages"] = Json::array();
  for (const StageTime& stage : run.stages)
    json["stages"].push_back({{"stage", stage.stage}, {"seconds", stage.seconds}});
  json["seconds"] = run.seconds;
  json["peak_memory"] = run.peak_memory;
  json["warnings"] = warnings_json(facts.warnings);
  json["written"] = written_json(run.written);
  return json;
}

}  // namespace skde::cli
