#include "skde/density_report.hpp"

#include <fmt/format.h>

#include "cli/number_format.hpp"
#include "cli/report.hpp"
#include "cli/report_parts.hpp"
#include "core/version.hpp"

namespace skde::cli {
namespace {

/// With a reach of fewer cells, sums over cell centres are off from the integrals by percents.
constexpr double kFewestCells = 2;

std::string bandwidth_text(const DensityRun& run) {
  const Bandwidth& bandwidth = run.estimate->bandwidth;
  if (bandwidth.h == 0) return "H as given";
  const bool length = run.covariance == "iso";
  return fmt::format("h = {}{} ({}), {}", format_value(bandwidth.h),
                     length ? unit_suffix(run.units) : "", bandwidth.source,
                     length ? "H = h^2 I" : fmt::format("H = h^2 S, S {}", run.covariance));
}

std::string values_text(const DensityRun& run) {
  const std::string_view integral =
      run.normalization == Normalization::box     ? "integral 1 over the box"
      : run.normalization == Normalization::count ? "integral W over all space"
                                                  : "integral 1 over all space";
  return fmt::format("{}, peak {}", integral, format_value(run.peak_density));
}

std::string engine_text(const DensityEstimate& estimate) {
  std::string text = estimate.engine;
  if (!estimate.launch_policy.empty()) text += ": " + estimate.launch_policy;
  if (estimate.updates_per_second() > 0)
    text += ", " + format_rate(estimate.updates_per_second(), "updates");
  return text;
}

void add_samples(Report& report, const DensityRun& run) {
  const Moments& moments = run.estimate->moments;
  report.line("samples", counts_text(run.counts));
  report.line("weights", fmt::format("W = {}, n_eff = {}", format_value(moments.total_weight()),
                                     format_value(moments.effective_samples())));
  add_box(report, "cloud", moments.bounds());
}

void add_kernel(Report& report, const DensityRun& run) {
  const DensityEstimate& estimate = *run.estimate;
  const Vec3 half = estimate.kernel.half_extents(), d = estimate.volume.grid().spacing;
  report.line("kernel", std::string(kernel_name(estimate.kernel.function)));
  report.line("bandwidth", bandwidth_text(run));
  add_matrix(report, "H", estimate.bandwidth.H);
  report.line("reach",
              fmt::format("{}, {}, {}{} ({:.1f}, {:.1f}, {:.1f} cells) along x, y, z",
                          format_value(half.x), format_value(half.y), format_value(half.z),
                          unit_suffix(run.units), half.x / d.x, half.y / d.y, half.z / d.z));
}

/// A hint where the cells are too large for the kernel to be seen, so that the mass is off as well.
void add_resolution_note(Report& report, const DensityEstimate& estimate) {
  const Grid& grid = estimate.volume.grid();
  const double thinnest = thinnest_half_width(estimate.kernel.H, grid);
  if (thinnest >= kFewestCells) return;
  const Vec3 half = estimate.kernel.half_extents();
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

std::string mass_text(const DensityEstimate& estimate) {
  std::string text = format_share(estimate.mass_in_box);
  if (estimate.unseen_mass() > 0)
    text += fmt::format("; about {} is lost: its kernels are in the box, but cover no cell centre",
                        format_share(estimate.unseen_mass()));
  return text;
}

void add_times(Report& report, const DensityRun& run) {
  std::vector<std::vector<std::string>> rows;
  for (const StageTime& stage : run.stages)
    rows.push_back({stage.stage, format_duration(stage.seconds)});
  rows.push_back({"total", format_duration(run.seconds)});
  report.table("times", rows);
  report.line("memory", format_bytes(static_cast<double>(run.peak_memory)) + " at most");
}

}  // namespace

std::string density_summary(const DensityRun& run) {
  const DensityEstimate& estimate = *run.estimate;
  Report report;
  add_samples(report, run);
  add_kernel(report, run);
  add_grid(report, estimate.volume.grid(), estimate.volume.precision(), run.units);
  report.line("mass in box", mass_text(estimate));
  report.line("values", values_text(run));
  add_resolution_note(report, estimate);
  report.line("engine", engine_text(estimate));
  if (estimate.plan.part_samples > 0 || estimate.plan.slabs > 1)
    report.line("plan", estimate.plan.describe());
  add_times(report, run);
  for (const WrittenFile& file : run.written)
    report.line(file.what,
                fmt::format("{} ({})", file.path, format_bytes(static_cast<double>(file.bytes))));
  return report.text();
}

nlohmann::ordered_json density_json(const DensityRun& run) {
  using Json = nlohmann::ordered_json;
  const DensityEstimate& estimate = *run.estimate;
  const Moments& moments = estimate.moments;
  Json json;
  json["version"] = kVersion;
  json["inputs"] = run.inputs;
  json["samples"] = counts_json(run.counts);
  json["total_weight"] = moments.total_weight();
  json["effective_samples"] = moments.effective_samples();
  json["cloud"] = {{"bounds", box_json(moments.bounds())},
                   {"mean", vector_json(moments.mean())},
                   {"covariance", matrix_json(moments.covariance())}};
  json["kernel"] = kernel_name(estimate.kernel.function);
  json["bandwidth"] = {{"source", estimate.bandwidth.source},
                       {"covariance", run.covariance},
                       {"H", matrix_json(estimate.bandwidth.H)},
                       {"half_extents", vector_json(estimate.kernel.half_extents())}};
  json["bandwidth"]["h"] = estimate.bandwidth.h > 0 ? Json(estimate.bandwidth.h) : Json(nullptr);
  if (!run.units.empty()) json["units"] = run.units;
  json["grid"] = grid_json(estimate.volume.grid(), estimate.volume.precision());
  json["mass_in_box"] = estimate.mass_in_box;
  json["unseen_mass"] = estimate.unseen_mass();
  json["normalization"] = normalization_name(run.normalization);
  json["peak"] = run.peak_density;
  json["plan"] = {{"part_samples", estimate.plan.part_samples},
                  {"slabs", estimate.plan.slabs},
                  {"slab_slices", estimate.plan.slab_slices}};
  json["engine"] = {{"name", estimate.engine},
                    {"launch_policy", estimate.launch_policy},
                    {"updates", estimate.work.updates},
                    {"seconds", estimate.engine_seconds},
                    {"updates_per_second", estimate.updates_per_second()}};
  json["stages"] = Json::array();
  for (const StageTime& stage : run.stages)
    json["stages"].push_back({{"stage", stage.stage}, {"seconds", stage.seconds}});
  json["seconds"] = run.seconds;
  json["peak_memory"] = run.peak_memory;
  json["written"] = Json::array();
  for (const WrittenFile& file : run.written)
    json["written"].push_back({{"what", file.what}, {"path", file.path}, {"bytes", file.bytes}});
  return json;
}

}  // namespace skde::cli
