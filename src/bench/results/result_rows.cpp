#include "bench/results/result_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/measure/stage_records.hpp"
#include "bench/measure/statistics.hpp"
#include "cli/number_format.hpp"

namespace skde::bench {
namespace {

constexpr std::string_view kFormat =
    "{:<15} {:>9} {:>5} {:>6} {:<21} {:>9} {:>9} {:>7} {:>15} {:>9}";

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

/// Readers and writers are told by the bytes of their stage, engines by their updates.
std::string throughput(const Result& r, double seconds) {
  if (r.updates > 0) return cli::format_rate(r.updates / seconds, "updates");
  if (!r.stages.empty() && r.stages.front().bytes)
    return fmt::format("{:.0f} MB/s", *r.stages.front().bytes / seconds / 1e6);
  return "";
}

/// The error, and what it means for the row.
std::string error_text(const Result& r) {
  if (r.kernel == kGaussianKernel) return "  other kernel";
  std::string text = r.error ? fmt::format("{:>9.1e}", *r.error) : "";
  if (r.status == Status::inexact) text += fmt::format("  {}", status_name(r.status));
  return text;
}

std::string amount_text(const StageRecord& stage) {
  std::string text;
  if (stage.bytes && stage.seconds > 0)
    text += fmt::format("  {:.3g} GB/s", *stage.bytes / stage.seconds / 1e9);
  if (stage.operations && stage.seconds > 0)
    text += fmt::format("  {:.3g} G {}/s", *stage.operations / stage.seconds / 1e9, stage.ceiling);
  return text;
}

}  // namespace

std::string result_header() {
  return trimmed(fmt::format(kFormat, "cloud", "N", "M", "h", "method", "best", "median", "spread",
                             "rate", "error"));
}

std::string result_row(const Result& r) {
  // Files are not told apart by precision.
  const std::string method = r.precision == "f64" && r.h > 0 ? r.method + " f64" : r.method;
  const std::string cloud = r.weighted ? r.cloud + " w" : r.cloud;
  const std::string samples = fmt::format("{:g}", static_cast<double>(r.samples));
  const std::string cells = r.cells > 0 ? fmt::format("{}", r.cells) : "";
  const std::string h = r.h > 0 ? fmt::format("{:.3g}", r.h) : "";
  if (!is_timed(r.status))
    return trimmed(fmt::format("{:<15} {:>9} {:>5} {:>6} {:<21} {}: {}", cloud, samples, cells, h,
                               method, status_name(r.status), r.reason));
  const Summary times = summarize(r.seconds);
  return trimmed(fmt::format(
      kFormat, cloud, samples, cells, h, method, cli::format_duration(times.minimum),
      cli::format_duration(times.median), fmt::format("{:.1f} %", 100 * times.relative_spread()),
      throughput(r, times.minimum), error_text(r)));
}

std::string stage_rows(const Result& result, const std::vector<Ceiling>& ceilings) {
  std::string text;
  for (const StageRecord& stage : result.stages) {
    const CeilingShare share = ceiling_share(stage, result.device, ceilings);
    text += fmt::format(
        "    {:<12} {:>9}{}{}\n", stage.stage, cli::format_duration(stage.seconds),
        amount_text(stage),
        share.share > 0 ? fmt::format("  {:.0f} % of {}", 100 * share.share, share.ceiling) : "");
  }
  if (!result.policy.empty()) text += fmt::format("    {}\n", result.policy);
  return text;
}

}  // namespace skde::bench
