#include "commands/output/cloud_info.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <variant>

#include "bandwidth/data_driven_bandwidth.hpp"
#include "cli/exit_code.hpp"
#include "cli/report_parts.hpp"
#include "cli/results/report.hpp"
#include "cli/results/shared_tables.hpp"
#include "cli/text/terminal_text.hpp"
#include "core/report/error.hpp"
#include "estimate/values/density_setup.hpp"
#include "io/points/columns/width_columns.hpp"

namespace skde::cli {
namespace {

/// A bandwidth and the default grid for it.
struct Suggestion {
  std::string source;
  Bandwidth bandwidth;
  Vec3 half_extents;
  Grid grid;
  double reach_ratio = 0;
};

/// The reason why there is no suggestion.
struct NoSuggestion {
  std::string problem;
};
using Suggested = std::variant<Suggestion, NoSuggestion>;

Suggested suggest(const CloudInfo& info, BandwidthRule rule) {
  DensityRequest request;
  request.kernel = info.kernel;
  request.bandwidth.bandwidth = rule;
  try {
    NoProgress silent;
    const auto chosen =
        data_driven_where_asked({}, info.moments, request.data_driven(), {}, silent);
    const DensitySetup setup =
        set_up_density(request, info.moments, info.inner_bounds, {}, info.shapes, chosen);
    return Suggestion{setup.bandwidth.source, setup.bandwidth, setup.kernel.half_extents(),
                      setup.grid, setup.reach_ratio};
  } catch (const Error& error) {
    return NoSuggestion{error_text(error)};
  }
}

struct RuleSuggestions {
  Suggested automatic, silverman, scott;
};
/// For per-sample H: their mean, which leaves no choice.
struct SampleSuggestion {
  Suggested samples;
};

std::variant<RuleSuggestions, SampleSuggestion> suggestions(const CloudInfo& info) {
  if (info.shapes.has_shapes()) return SampleSuggestion{suggest(info, BandwidthRule::silverman)};
  return RuleSuggestions{suggest(info, BandwidthRule::automatic),
                         suggest(info, BandwidthRule::silverman),
                         suggest(info, BandwidthRule::scott)};
}

std::string weighting_text(const io::ReadColumns& columns) {
  if (!columns.weight) return "weights 1";
  if (!columns.gaussians.empty() && columns.weight->name == io::kOpacity)
    return "weights from the sigmoid of opacity";
  return columns.weight->name.empty() ? fmt::format("weights of column {}", columns.weight->number)
                                      : fmt::format("weights of {}", columns.weight->name);
}

/// Describes the terms of a density of the cloud.
std::string summed_text(const CloudInfo& info) {
  std::string_view shape = "all with one H";
  if (info.shapes.has_shapes())
    shape = "each with its sample's own H";
  else if (!info.columns.widths.empty())
    shape = "each with one H times its sample's factor squared";
  return fmt::format("{} {} kernels, {}, {}", format_count(info.moments.count()), info.kernel->name,
                     shape, weighting_text(info.columns));
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
  const auto found = suggestions(info);
  const auto* const own = std::get_if<SampleSuggestion>(&found);
  std::vector<Suggested> all;
  if (own) {
    all = {own->samples};
  } else {
    const auto& rules = std::get<RuleSuggestions>(found);
    all = {rules.automatic, rules.silverman, rules.scott};
  }
  if (const auto* const none = std::get_if<NoSuggestion>(&all[0]))
    return report.line("bandwidth", "none: " + none->problem);
  std::vector<std::vector<std::string>> rows{{"", own ? "" : "h", "reach x", "y", "z"}};
  for (const Suggested& one : all) {
    const Suggestion& s = std::get<Suggestion>(one);
    rows.push_back({own ? "mean of per-sample bandwidths" : s.source,
                    own ? "" : format_value(s.bandwidth.h), format_value(s.half_extents.x),
                    format_value(s.half_extents.y), format_value(s.half_extents.z)});
  }
  const Suggestion& first = std::get<Suggestion>(all[0]);
  report.table("bandwidth", rows);
  add_matrix(report, own ? "mean H" : "H auto", first.bandwidth.H);
  add_grid(report, first.grid, Precision::f32, info.columns.units());
  add_cells(report, first.grid, first.reach_ratio);
}

void add_in_box(Report& report, const CloudInfo& info) {
  if (!info.index_ignored.empty()) report.line("index", info.index_ignored);
  if (!info.in_box) return;
  const SamplesInBox& inside = *info.in_box;
  report.line("in the box", fmt::format("{} samples, {}", format_count(inside.samples),
                                        format_share(static_cast<double>(inside.samples) /
                                                     static_cast<double>(info.moments.count()))));
  if (inside.blocks) report.line("read", inside.blocks->describe());
}

void add_columns(Report& report, const CloudInfo& info) {
  report.line("columns", columns_text(info.columns, ""));
  if (!info.columns.others.empty())
    report.line("others", fmt::format("{}", fmt::join(info.columns.others, ", ")));
  if (!info.columns.left_out.empty())
    report.line("no numbers", fmt::format("{}", fmt::join(info.columns.left_out, ", ")));
}

void add_moments(Report& report, const CloudInfo& info) {
  const Moments& moments = info.moments;
  const Vec3 mean = moments.mean(), extent = moments.bounds().extent();
  add_box(report, "bounds", moments.bounds());
  if (!std::isfinite(moments.total_weight()) || !std::isfinite(moments.effective_samples()))
    return report.line("mean", "none: the weights or their squares are beyond the range of double");
  report.line("mean", fmt::format("{}, {}, {}", format_coordinate(mean.x, extent.x),
                                  format_coordinate(mean.y, extent.y),
                                  format_coordinate(mean.z, extent.z)));
  add_matrix(report, "covariance", moments.covariance());
  add_spread(report, moments.covariance());
  add_outliers(report, moments);
}

}  // namespace

void add_fields(Fields<Suggestion>& add) {
  add.name("suggestion");
  add("h", "null if each sample has its own H",
      [](auto& suggestion) { return positive(suggestion.bandwidth.h); });
  add("H", [](auto& suggestion) { return suggestion.bandwidth.H; });
  add("half_extents", &Suggestion::half_extents);
  add("grid", [](auto& suggestion) { return StoredGrid{suggestion.grid, Precision::f32}; });
}

void add_fields(Fields<NoSuggestion>& add) { add("problem", &NoSuggestion::problem); }

void add_fields(Fields<RuleSuggestions>& add) {
  add("auto", "that of a density unless another is named", &RuleSuggestions::automatic);
  add("silverman", &RuleSuggestions::silverman);
  add("scott", &RuleSuggestions::scott);
}

void add_fields(Fields<SampleSuggestion>& add) {
  add("samples", "if each sample has its own H: h is null, H is their mean",
      &SampleSuggestion::samples);
}

void add_fields(Fields<SamplesInBox>& add) {
  add.name("samples_in_box");
  add("bounds", &SamplesInBox::box);
  add("samples", "inside or on a face", &SamplesInBox::samples);
  add("blocks", "those read of an indexed file; null if the whole file was read",
      &SamplesInBox::blocks);
}

void add_fields(Fields<CloudInfo>& add) {
  add.name("cloud", "skde info of points --json");
  add("inputs", &CloudInfo::inputs);
  add("samples", &CloudInfo::counts);
  add.line("samples", [](auto& info) { return counts_text(info.counts); });
  add("in_box", "the samples in `bounds`; null if these were not given", &CloudInfo::in_box);
  add("index_ignored", "why an index of the file is not used",
      [](auto& info) { return known(info.index_ignored); });
  add.lines(add_in_box);
  add("columns", &CloudInfo::columns);
  add.lines(add_columns);
  add("total_weight", [](auto& info) { return info.moments.total_weight(); });
  add.line("weights", [](auto& info) { return weights_text(info.moments); });
  add("effective_samples", [](auto& info) { return info.moments.effective_samples(); });
  add("cloud", &CloudInfo::moments);
  add.lines(add_moments);
  add("kernel", &CloudInfo::kernel);
  add.line("kernel", [](auto& info) { return kernel_text(info.kernel, info.columns); });
  add("sum", "the kernels whose sum a density of the cloud would be", summed_text);
  add.line("sum", summed_text);
  add("suggested", suggestions);
  add.lines(add_suggestions);
}

}  // namespace skde::cli
