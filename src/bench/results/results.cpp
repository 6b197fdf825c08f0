#include "bench/results/results.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>

#include "bench/results/json_records.hpp"
#include "cli/text/terminal_text.hpp"
#include "core/cloud/statistics.hpp"
#include "core/space/grid.hpp"
#include "io/text/json_object.hpp"
#include "io/text/text_file.hpp"

namespace skde::bench {
namespace {

using io::csv_field;

std::string csv_row(const Result& r) {
  std::string times = ",,,";
  if (!r.seconds.empty()) {
    const Summary s = summarize(r.seconds);
    times = fmt::format("{},{},{},{}", s.minimum, s.lower_quartile, s.median, s.upper_quartile);
  }
  const auto known = [](const std::optional<double>& number) {
    return number ? fmt::format("{}", *number) : "";
  };
  std::vector<std::string> stages;
  for (const StageRecord& stage : r.stages)
    stages.push_back(fmt::format("{}={}", stage.stage, stage.seconds));
  return fmt::format(
      "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
      csv_field(r.experiment), csv_field(r.method), r.device, csv_field(r.cloud), r.samples,
      r.cells, r.h, csv_field(r.kernel), r.precision, r.weighted ? 1 : 0, r.widths,
      r.tolerance.value_or(0), fmt::join(r.half_extents, ","), r.updates, r.evaluated,
      status_name(r.status), csv_field(r.reason), times, known(r.error), fmt::join(r.seconds, ";"),
      csv_field(fmt::format("{}", fmt::join(stages, ";"))), r.warmups, r.inputs,
      csv_field(r.policy), known(r.members), known(r.bytes), known(r.relative_error), known(r.psnr),
      known(r.steps));
}

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

// RecordReader and RecordWriter find these functions for the types of this namespace.

static constexpr const auto& names_of(Status) { return kStatusNames; }

static void each_field(auto& visit, SameRecord<StageRecord> auto& s) {
  visit("stage", s.stage)("seconds", s.seconds)("bytes", s.bytes)("operations", s.operations);
  visit.may_lack("ceiling", s.ceiling);
}

static void each_field(auto& visit, SameRecord<Result> auto& r) {
  visit("experiment", r.experiment)("method", r.method)("device", r.device)("cloud", r.cloud);
  visit("samples", r.samples)("cells", r.cells)("h", r.h)("kernel", r.kernel);
  visit("precision", r.precision)("weighted", r.weighted)("tolerance", r.tolerance);
  visit.may_lack("widths", r.widths);
  visit("half_extents", r.half_extents);
  visit("updates", r.updates)("evaluated", r.evaluated)("status", r.status)("reason", r.reason);
  visit("automatic", r.automatic)("warmups", r.warmups)("inputs", r.inputs)("seconds", r.seconds);
  visit("stages", r.stages)("policy", r.policy)("error", r.error);
  visit("members", r.members)("bytes", r.bytes)("relative_error", r.relative_error);
  visit("psnr", r.psnr)("steps", r.steps);
}

static void check_record(const io::JsonObject& object, const Result& r) {
  if (is_timed(r.status) == r.seconds.empty())
    object.fail("seconds",
                fmt::format("{} although the status is {}",
                            r.seconds.empty() ? "is empty" : "has times", status_name(r.status)));
  if (r.status == Status::inexact && !r.error)
    object.fail("error", "is missing although the status is inexact");
}

static void each_field(auto& visit, SameRecord<MachineRecord> auto& m) {
  visit("cpu", m.cpu)("cores", m.cores)("memory", m.memory)("gpu", m.gpu);
  visit("gpu_memory", m.gpu_memory)("driver", m.driver)("cuda", m.cuda)("compiler", m.compiler);
  visit("flags", m.flags)("version", m.version)("commit", m.commit);
}

static void each_field(auto& visit, SameRecord<Ceiling> auto& c) {
  visit("device", c.device)("name", c.name)("per_second", c.per_second)("unit", c.unit);
}

static void each_field(auto& visit, SameRecord<Overhead> auto& o) {
  visit("method", o.method)("seconds", o.seconds);
}

static void each_field(auto& visit, SameRecord<RunRecord> auto& run) {
  visit("format", run.format)("machine", run.machine)("date", run.date);
  visit("command_line", run.command_line)("cancelled", run.cancelled)("ceilings", run.ceilings);
  visit("overheads", run.overheads)("results", run.results);
}

void refuse(Result& result, Refusal refusal) {
  result.status = refusal.status;
  result.reason = std::move(refusal.reason);
  result.seconds.clear();
  result.stages.clear();
}

Refusal too_long(double predicted_seconds, double max_seconds) {
  return {Status::skipped, fmt::format("would take about {:.3g} s, more than --max-seconds {:g}",
                                       predicted_seconds, max_seconds)};
}

Refusal took_too_long(double max_seconds) {
  return {Status::skipped, fmt::format("a run took longer than --max-seconds {:g}", max_seconds)};
}

std::string results_json(const RunRecord& run) {
  return io::json_text(RecordWriter::written(run), 1);
}

std::string results_csv(const RunRecord& run) {
  std::string text =
      "experiment,method,device,cloud,samples,cells,h,kernel,precision,weighted,widths,tolerance,"
      "half_"
      "extent_x,"
      "half_extent_y,half_extent_z,updates,evaluated,status,reason,minimum_s,lower_quartile_s,"
      "median_s,upper_quartile_s,error,repetitions_s,stages_s,warmups,inputs,policy,members,"
      "bytes,relative_error,psnr,steps\n";
  for (const Result& result : run.results) text += csv_row(result);
  return text;
}

RunRecord parse_results(std::string_view text, const std::string& file) {
  const auto json = io::parse_json(text, file);
  io::JsonObject object(json, file);
  RunRecord run;
  std::string format;
  object.read("format", format);
  if (format != run.format)
    object.fail("format", fmt::format("must be '{}'; measure again with this program", run.format));
  RecordReader::read(object, run);
  return run;
}

RunRecord read_results(const std::string& path) { return parse_results(io::read_text(path), path); }

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
