#include "commands/output/bandwidth_report.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <utility>

#include "cli/report_parts.hpp"
#include "cli/results/report.hpp"
#include "cli/results/shared_tables.hpp"
#include "cli/text/terminal_text.hpp"

namespace skde::cli {
namespace {

struct MethodNames {
  std::string_view method, column, caption;
};
constexpr std::array<MethodNames, 4> kScores{{
    {"lcv", "mean_minus_log_density", "mean −log density, leave-one-out"},
    {"lscv", "least_squares_score", "least-squares score"},
    {"plug-in", "asymptotic_error", "asymptotic integrated squared error"},
    {"bootstrap", "mean_squared_error", "mean integrated squared error"},
}};

const MethodNames& names_of(const BandwidthRun& run) {
  for (const MethodNames& names : kScores)
    if (names.method == run.method || run.bandwidth.source.ends_with(names.method)) return names;
  static constexpr MethodNames kNone{"", "score", "score"};
  return kNone;
}

using Measure = std::pair<const char*, Percentiles BootstrapRow::*>;
constexpr std::array<Measure, 3> kMeasures{{{"max", &BootstrapRow::largest},
                                            {"mean_absolute", &BootstrapRow::mean_absolute},
                                            {"squared", &BootstrapRow::squared}}};

void add_choice(Report& report, const BandwidthRun& run) {
  report.line(
      "bandwidth",
      fmt::format("h = {} ({}), {}", format_value(run.bandwidth.h), run.bandwidth.source,
                  run.covariance == "iso" ? "H = h^2 I" : "H = h^2 S, S " + run.covariance));
  if (run.silverman > 0 && run.method != "silverman" && run.bandwidth.silverman == 0)
    report.line("", fmt::format("{:.3g} times that of Silverman's rule, {}",
                                run.bandwidth.h / run.silverman, format_value(run.silverman)));
  add_judge(report, run.bandwidth);
}

void add_bootstrap(Report& report, const BandwidthRun& run) {
  if (!run.bootstrap) return;
  const BootstrapResult& bootstrap = *run.bootstrap;
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

std::string judges_text(const BandwidthRun& run) {
  return run.subsample > 0 ? format_count(run.subsample) + " samples drawn at random" : "";
}

std::string score_text(const BandwidthRun& run) {
  return run.best ? fmt::format("{:.8g} ({})", run.best->score, names_of(run).caption) : "";
}

constexpr std::array<std::string_view, 9> kMethods{"auto",         "silverman",    "scott",
                                                   "normal-scale", "normal-scott", "lcv",
                                                   "lscv",         "plug-in",      "bootstrap"};

}  // namespace

void add_fields(Fields<Percentiles>& add) {
  add.name("percentiles", "over all realisations");
  add("minimum", &Percentiles::minimum);
  add("p2.5", &Percentiles::low);
  add("p50", &Percentiles::median);
  add("p97.5", &Percentiles::high);
  add("maximum", &Percentiles::maximum);
  add("mean", &Percentiles::mean);
}

void add_fields(Fields<BootstrapRow>& add) {
  add("h", &BootstrapRow::h);
  add("max", &BootstrapRow::largest);
  add("mean_absolute", &BootstrapRow::mean_absolute);
  add("squared", &BootstrapRow::squared);
}

void add_fields(Fields<BootstrapResult>& add) {
  add.name("bootstrap");
  add.object("reference", [](auto& part) {
    part("h", [](auto& bootstrap) { return bootstrap.reference.h; });
    part("source", [](auto& bootstrap) { return bootstrap.reference.source; });
  });
  add("grid", [](auto& bootstrap) { return StoredGrid{bootstrap.grid, Precision::f64}; });
  add("rows", &BootstrapResult::rows);
}

void add_fields(Fields<ScoredBandwidth>& add) {
  add("h", &ScoredBandwidth::h);
  add("score", "null if it is infinite", [](auto& point) { return finite(point.score); });
}

void add_fields(Fields<BandwidthRun>& add) {
  add.name("bandwidth_choice", "skde bandwidth CLOUD --json");
  add("inputs", &BandwidthRun::inputs);
  add("samples", &BandwidthRun::counts);
  add.line("samples", [](auto& run) { return counts_text(run.counts); });
  add("columns", &BandwidthRun::columns);
  add.line("columns", [](auto& run) { return columns_text(run.columns, ""); });
  add("effective_samples", &BandwidthRun::effective_samples);
  add("method", [](auto& run) { return OneAmong<kMethods>{run.method}; });
  add.line("judged by", judges_text);
  add("kernel", &BandwidthRun::kernel);
  add.line("kernel", [](auto& run) { return run.kernel; });
  add("judge",
      "kernel whose score chose h, scaled canonically to that of `kernel`; null: `kernel` itself",
      [](auto& run) { return known(run.bandwidth.judge); });
  add("covariance", [](auto& run) { return OneAmong<kCovariances>{run.covariance}; });
  add("h", "for all samples, even if a subsample was scored",
      [](auto& run) { return run.bandwidth.h; });
  add.lines(add_choice);
  add("H", [](auto& run) { return run.bandwidth.H; });
  add.lines([](auto& report, auto& run) { add_matrix(report, "H", run.bandwidth.H); });
  add("silverman", "h of that rule, for comparison",
      [](auto& run) { return positive(run.silverman); });
  add("score", "scores by h; the smallest is the best",
      [](auto& run) { return run.best ? finite(run.best->score) : std::nullopt; });
  add.line("score", score_text);
  add("score_name",
      [](auto& run) { return run.best ? std::optional(names_of(run).column) : std::nullopt; });
  add("curve", "by h", &BandwidthRun::curve);
  add("subsample", "number of samples that were scored; null: all",
      [](auto& run) { return when(run.subsample > 0, run.subsample); });
  add("bootstrap", &BandwidthRun::bootstrap);
  add.lines(add_bootstrap);
  add("warnings", &BandwidthRun::warnings);
  add("seconds", &BandwidthRun::seconds);
  add.line("time", [](auto& run) { return format_duration(run.seconds); });
  add_written(add);
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
