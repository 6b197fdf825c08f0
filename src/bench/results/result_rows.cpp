#include "bench/results/result_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "cli/text/number_format.hpp"
#include "core/cloud/statistics.hpp"
#include "core/space/grid.hpp"

namespace skde::bench {
namespace {

constexpr std::string_view kCase = "{:<19} {:>9} {:>5} {:>6} {:<29} ",
                           kTimes = "{:>9} {:>9} {:>7} {:>15} {:>9}";

std::string line_of(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text + '\n';
}

/// Readers and writers are rated by the bytes of their stage, engines by their updates.
std::string throughput(const Result& r, double seconds) {
  if (r.updates > 0) return cli::format_rate(r.updates / seconds, "updates");
  if (r.bytes) return format_bytes(*r.bytes);
  if (!r.stages.empty() && r.stages.front().bytes)
    return fmt::format("{:.0f} MB/s", *r.stages.front().bytes / seconds / 1e6);
  return "";
}

/// Returns the error, and what it means for the row.
std::string error_text(const Result& r) {
  // Engines are compared with the density of their kernel; a peer with another kernel is not.
  if (r.kernel == kGaussianKernel && !r.error) return "  other kernel";
  return (r.error ? fmt::format("{:>9.1e}", *r.error) : "") +
         (r.relative_error ? fmt::format("  L2 {:.2g} %", 100 * *r.relative_error) : "") +
         (r.status == Status::inexact ? "  inexact" : "");
}

/// Returns the method, and what is unusual about the kernels.
std::string kernel_text(const Result& r) {
  std::vector<std::string> unusual;
  if (!r.kernel.empty() && r.kernel != "epanechnikov") unusual.push_back(r.kernel);
  if (!r.widths.empty()) unusual.push_back(r.widths);
  return method_text(r) + (unusual.empty() ? "" : fmt::format(" ({})", fmt::join(unusual, ", ")));
}

}  // namespace

std::string duration_text(double seconds) {
  return seconds < 0.9995e-3 ? fmt::format("{:.3g} us", seconds * 1e6)
                             : cli::format_duration(seconds);
}

std::string number_of_items(std::uint64_t count) {
  constexpr std::uint64_t kFirst = 32;
  return count >= kFirst && std::has_single_bit(count)
             ? fmt::format("2^{}", std::countr_zero(count))
             : fmt::format("{:g}", static_cast<double>(count));
}

std::string method_text(const Result& r) {
  std::string text = r.method;
  if (r.precision == "f64" && r.h > 0) text += " f64";
  if (r.tolerance) text += fmt::format(" {:g}", *r.tolerance);
  if (r.members) text += fmt::format(" K={:.0f}", *r.members);
  return text;
}

std::string result_header() {
  return line_of(fmt::format(kCase, "cloud", "N", "M", "h", "method") +
                 fmt::format(kTimes, "best", "median", "spread", "rate", "error"));
}

std::string result_row(const Result& r) {
  const std::string place =
      fmt::format(kCase, r.weighted ? r.cloud + " w" : r.cloud, number_of_items(r.samples),
                  r.cells > 0 ? fmt::format("{}", r.cells) : "",
                  r.h > 0 ? fmt::format("{:.3g}", r.h) : "", kernel_text(r));
  if (!is_timed(r.status))
    return line_of(fmt::format("{}{}: {}", place, status_name(r.status), r.reason));
  const Summary times = summarize(r.seconds);
  return line_of(place + fmt::format(kTimes, duration_text(times.minimum),
                                     duration_text(times.median),
                                     fmt::format("{:.1f} %", 100 * times.relative_spread()),
                                     throughput(r, times.minimum), error_text(r)));
}

CeilingShare ceiling_share(const StageRecord& stage, std::string_view device,
                           const std::vector<Ceiling>& ceilings) {
  CeilingShare best;
  if (!(stage.seconds > 0)) return best;
  for (const Ceiling& ceiling : ceilings) {
    if (ceiling.device != device || !(ceiling.per_second > 0)) continue;
    std::optional<double> amount;
    if (ceiling.name == "copy") amount = stage.bytes;
    if (ceiling.name == stage.ceiling) amount = stage.operations;
    const double share = amount.value_or(0) / stage.seconds / ceiling.per_second;
    if (share > best.share) best = {ceiling.name, share};
  }
  return best;
}

std::string stage_rows(const Result& result, const std::vector<Ceiling>& ceilings) {
  std::string text;
  for (const StageRecord& stage : result.stages) {
    text += fmt::format("    {:<12} {:>9}", stage.stage, cli::format_duration(stage.seconds));
    if (stage.bytes && stage.seconds > 0)
      text += fmt::format("  {:.3g} GB/s", *stage.bytes / stage.seconds / 1e9);
    if (stage.operations && stage.seconds > 0)
      text +=
          fmt::format("  {:.3g} G {}/s", *stage.operations / stage.seconds / 1e9, stage.ceiling);
    const CeilingShare best = ceiling_share(stage, result.device, ceilings);
    if (best.share > 0) text += fmt::format("  {:.0f} % of {}", 100 * best.share, best.ceiling);
    text += '\n';
  }
  return result.policy.empty() ? text : fmt::format("{}    {}\n", text, result.policy);
}

}  // namespace skde::bench
