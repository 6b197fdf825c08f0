#include "commands/output/cloud_info.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/json_document.hpp"
#include "cli/number_format.hpp"
#include "cli/report.hpp"
#include "core/report/error.hpp"
#include "estimate/plan/density_setup.hpp"
#include "io/points/columns/width_columns.hpp"

namespace skde::cli {
namespace {

/// A bandwidth and the default grid under it, or why there is none.
struct Suggestion {
  std::string source;
  std::string problem;
  Bandwidth bandwidth;
  Vec3 half_extents;
  Grid grid;
  double reach_ratio = 0;
};

Suggestion suggest(const CloudInfo& info, BandwidthRule rule, const char* source) {
  Suggestion result{source, {}, {}, {}, {}, 0};
  DensityRequest request;
  request.kernel = info.kernel;
  request.bandwidth.bandwidth = rule;
  try {
    const DensitySetup setup =
        set_up_density(request, info.moments, info.inner_bounds, {}, info.shapes);
    result.bandwidth = setup.bandwidth;
    result.half_extents = setup.kernel.half_extents();
    result.grid = setup.grid;
    result.reach_ratio = setup.reach_ratio;
  } catch (const Error& error) {
    result.problem = error_text(error);
  }
  return result;
}

/// Of the rules; or, where each sample has its own H, the mean of these, which is no choice.
std::vector<Suggestion> suggestions(const CloudInfo& info) {
  if (info.shapes.has_shapes()) return {suggest(info, BandwidthRule::silverman, "samples")};
  return {suggest(info, BandwidthRule::silverman, "silverman"),
          suggest(info, BandwidthRule::scott, "scott")};
}

std::string weights_text(const io::ReadColumns& columns) {
  if (!columns.weight) return "weights 1";
  if (columns.splats && columns.weight->name == io::kOpacity)
    return "weights the sigmoid of opacity";
  return columns.weight->name.empty() ? fmt::format("weights of column {}", columns.weight->number)
                                      : fmt::format("weights of {}", columns.weight->name);
}

/// What a density of the cloud would be the sum of.
std::string summed_text(const CloudInfo& info) {
  std::string_view shape = "all of one H";
  if (info.shapes.has_shapes())
    shape = "each of its sample's own H";
  else if (!info.columns.widths.empty())
    shape = "each of one H times its sample's own factor squared";
  return fmt::format("{} {} kernels, {}, {}", format_count(info.moments.count()), info.kernel->name,
                     shape, weights_text(info.columns));
}

void add_spread(Report& report, const Symmetric3& covariance) {
  const Eigen3 eigen = eigen_decomposition(covariance);
  std::vector<std::vector<std::string>> rows;
  for (int i = 2; i >= 0; --i) {
    const Vec3 v = eigen.vectors[i];
    rows.push_back({"", format_value(std::sqrt(std::max(0.0, eigen.values[i]))), "along",
                    fmt::format("({:.3f}, {:.3f}, {:.3f})", v.x, v.y, v.z)});
  }
  report.table("std. dev.", rows);
}

void add_suggestions(Report& report, const CloudInfo& info) {
  const auto all = suggestions(info);
  if (!all[0].problem.empty()) return report.line("bandwidth", "none: " + all[0].problem);
  const bool own = info.shapes.has_shapes();
  std::vector<std::vector<std::string>> rows{{"", own ? "" : "h", "reach x", "y", "z"}};
  for (const Suggestion& s : all)
    rows.push_back({own ? "samples' own, in the mean" : s.source,
                    own ? "" : format_value(s.bandwidth.h), format_value(s.half_extents.x),
                    format_value(s.half_extents.y), format_value(s.half_extents.z)});
  report.table("bandwidth", rows);
  add_matrix(report, own ? "mean H" : "H silverman", all[0].bandwidth.H);
  add_grid(report, all[0].grid, Precision::f32, info.columns.units());
  add_cells(report, all[0].grid, all[0].reach_ratio);
}

}  // namespace

std::string cloud_text(const CloudInfo& info) {
  const Moments& moments = info.moments;
  const Vec3 mean = moments.mean(), extent = moments.bounds().extent();
  Report report;
  report.line("samples", counts_text(info.counts));
  report.line("columns", columns_text(info.columns, ""));
  if (!info.columns.others.empty())
    report.line("others", fmt::format("{}", fmt::join(info.columns.others, ", ")));
  report.line("weights", fmt::format("W = {}, n_eff = {}", format_value(moments.total_weight()),
                                     format_value(moments.effective_samples())));
  add_box(report, "bounds", moments.bounds());
  if (std::isfinite(moments.total_weight()) && std::isfinite(moments.effective_samples())) {
    report.line("mean", fmt::format("{}, {}, {}", format_coordinate(mean.x, extent.x),
                                    format_coordinate(mean.y, extent.y),
                                    format_coordinate(mean.z, extent.z)));
    add_matrix(report, "covariance", moments.covariance());
    add_spread(report, moments.covariance());
    add_outliers(report, moments);
  } else {
    report.line("mean", "none: the weights or their squares are beyond the range of double");
  }
  report.line("kernel", kernel_text(info.kernel, info.columns));
  report.line("sum", summed_text(info));
  add_suggestions(report, info);
  return report.text();
}

nlohmann::ordered_json cloud_json(const CloudInfo& info) {
  const Moments& moments = info.moments;
  nlohmann::ordered_json json = json_document("cloud");
  json["inputs"] = info.inputs;
  json["samples"] = counts_json(info.counts);
  json["columns"] = columns_json(info.columns);
  json["total_weight"] = moments.total_weight();
  json["effective_samples"] = moments.effective_samples();
  json["cloud"] = moments_json(moments);
  json["kernel"] = info.kernel->name;
  json["sum"] = summed_text(info);
  for (const Suggestion& s : suggestions(info)) {
    if (!s.problem.empty()) {
      json["suggested"][s.source] = {{"problem", s.problem}};
      continue;
    }
    const bool has_h = s.bandwidth.h > 0;
    json["suggested"][s.source] = {
        {"h", has_h ? nlohmann::ordered_json(s.bandwidth.h) : nlohmann::ordered_json(nullptr)},
        {"H", matrix_json(s.bandwidth.H)},
        {"half_extents", vector_json(s.half_extents)},
        {"grid", grid_json(s.grid, Precision::f32)}};
  }
  return json;
}

}  // namespace skde::cli
