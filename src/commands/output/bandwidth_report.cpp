#include "commands/output/bandwidth_report.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <utility>

#include "cli/json_document.hpp"
#include "cli/number_format.hpp"
#include "cli/report.hpp"
#include "cli/report_parts.hpp"

namespace skde::cli {
namespace {

using Json = nlohmann::ordered_json;

struct MethodNames {
  std::string_view method, column, caption;
};
constexpr std::array<MethodNames, 4> kScores{{
    {"lcv", "mean_minus_log_density", "mean −log density at samples left out"},
    {"lscv", "least_squares_score", "least-squares score"},
    {"plug-in", "asymptotic_error", "asymptotic integrated squared error"},
    {"bootstrap", "mean_squared_error", "mean integrated squared error"},
}};

const MethodNames& names_of(const BandwidthRun& run) {
  for (const MethodNames& names : kScores)
    if (names.method == run.method) return names;
  static constexpr MethodNames kNone{"", "score", "score"};
  return kNone;
}

using Measure = std::pair<const char*, Percentiles BootstrapRow::*>;
constexpr std::array<Measure, 3> kMeasures{{{"max", &BootstrapRow::largest},
                                            {"mean_absolute", &BootstrapRow::mean_absolute},
                                            {"squared", &BootstrapRow::squared}}};

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json percentiles_json(const Percentiles& p) {
  return {{"minimum", p.minimum}, {"p2.5", p.low},        {"p50", p.median},
          {"p97.5", p.high},      {"maximum", p.maximum}, {"mean", p.mean}};
}

Json bootstrap_json(const BootstrapResult& bootstrap) {
  Json json;
  json["reference"] = {{"h", bootstrap.reference.h}, {"source", bootstrap.reference.source}};
  json["grid"] = grid_json(bootstrap.grid, Precision::f64);
  json["rows"] = Json::array();
  for (const BootstrapRow& row : bootstrap.rows) {
    Json one{{"h", row.h}};
    for (const auto& [name, measure] : kMeasures) one[name] = percentiles_json(row.*measure);
    json["rows"].push_back(std::move(one));
  }
  return json;
}

void add_bootstrap(Report& report, const BootstrapResult& bootstrap) {
  for (const auto& [name, measure] : kMeasures) {
    std::vector<std::vector<std::string>> rows{{"h", "min", "2.5 %", "50 %", "97.5 %", "max"}};
    for (const BootstrapRow& row : bootstrap.rows) {
      const Percentiles& p = row.*measure;
      rows.push_back({format_value(row.h), fmt::format("{:.3g}", p.minimum),
                      fmt::format("{:.3g}", p.low), fmt::format("{:.3g}", p.median),
                      fmt::format("{:.3g}", p.high), fmt::format("{:.3g}", p.maximum)});
    }
    report.table(name, rows);
  }
}

}  // namespace

std::string bandwidth_text(const BandwidthRun& run) {
  Report report;
  report.line("samples", counts_text(run.counts));
  report.line("columns", columns_text(run.columns, ""));
  if (run.subsample > 0)
    report.line("judged by", format_count(run.subsample) + " samples drawn at random");
  report.line("kernel", run.kernel);
  report.line("bandwidth", fmt::format("h = {} ({}), {}", format_value(run.bandwidth.h), run.method,
                                       run.covariance == "iso" ? "H = h^2 I"
                                                               : "H = h^2 S, S " + run.covariance));
  if (run.silverman > 0 && run.method != "silverman")
    report.line("", fmt::format("{:.3g} times that of Silverman's rule, {}",
                                run.bandwidth.h / run.silverman, format_value(run.silverman)));
  add_judge(report, run.bandwidth);
  add_matrix(report, "H", run.bandwidth.H);
  if (run.best)
    report.line("score", fmt::format("{:.8g} ({})", run.best->score, names_of(run).caption));
  if (run.bootstrap) add_bootstrap(report, *run.bootstrap);
  report.line("time", format_duration(run.seconds));
  add_written(report, run.written);
  return report.text();
}

nlohmann::ordered_json bandwidth_json(const BandwidthRun& run) {
  Json json = json_document("bandwidth_choice");
  json["inputs"] = run.inputs;
  json["samples"] = counts_json(run.counts);
  json["columns"] = columns_json(run.columns);
  json["effective_samples"] = run.effective_samples;
  json["method"] = run.method;
  json["kernel"] = run.kernel;
  json["judge"] = run.bandwidth.judge.empty() ? Json(nullptr) : Json(run.bandwidth.judge);
  json["covariance"] = run.covariance;
  json["h"] = run.bandwidth.h;
  json["H"] = matrix_json(run.bandwidth.H);
  json["silverman"] = run.silverman > 0 ? Json(run.silverman) : Json(nullptr);
  json["score"] = run.best ? number_or_null(run.best->score) : Json(nullptr);
  json["score_name"] = run.best ? Json(names_of(run).column) : Json(nullptr);
  json["curve"] = Json::array();
  for (const ScoredBandwidth& point : run.curve)
    json["curve"].push_back({{"h", point.h}, {"score", number_or_null(point.score)}});
  json["subsample"] = run.subsample > 0 ? Json(run.subsample) : Json(nullptr);
  json["bootstrap"] = run.bootstrap ? bootstrap_json(*run.bootstrap) : Json(nullptr);
  json["warnings"] = warnings_json(run.warnings);
  json["seconds"] = run.seconds;
  json["written"] = written_json(run.written);
  return json;
}

std::string bandwidth_csv(const BandwidthRun& run) {
  if (!run.bootstrap) {
    std::string text = fmt::format("h,{}\n", names_of(run).column);
    for (const ScoredBandwidth& point : run.curve)
      text += fmt::format("{},{}\n", point.h, point.score);
    return text;
  }
  std::string text = "h,measure,minimum,p2.5,p50,p97.5,maximum,mean\n";
  for (const BootstrapRow& row : run.bootstrap->rows)
    for (const auto& [name, measure] : kMeasures) {
      const Percentiles& p = row.*measure;
      text += fmt::format("{},{},{},{},{},{},{},{}\n", row.h, name, p.minimum, p.low, p.median,
                          p.high, p.maximum, p.mean);
    }
  return text;
}

ScoreChart bandwidth_chart(const BandwidthRun& run) {
  ScoreChart chart;
  chart.curve.reserve(run.curve.size());
  for (const ScoredBandwidth& point : run.curve) chart.curve.push_back({point.h, point.score});
  if (run.best) chart.best = {run.best->h, run.best->score};
  chart.title = fmt::format("{}: h = {}", run.method, format_value(run.bandwidth.h));
  const std::uint64_t judges = run.subsample > 0 ? run.subsample : run.counts.samples();
  chart.facts =
      fmt::format("{} samples, {} kernel, {}; Silverman's rule: h = {}", format_count(judges),
                  run.kernel, run.covariance == "iso" ? "H = h² I" : "H = h² S",
                  run.silverman > 0 ? format_value(run.silverman) : "none");
  chart.score_name = names_of(run).caption;
  return chart;
}

}  // namespace skde::cli
