#include "commands/output/plan_report.hpp"

#include <fmt/core.h>

#include <vector>

#include "cli/exit_code.hpp"
#include "cli/number_format.hpp"
#include "cli/report.hpp"
#include "cli/report_parts.hpp"
#include "cli/results/result_table.hpp"
#include "core/grid.hpp"

namespace skde::cli {

double bytes_of(const MemoryNeed& need, const DensityPlan& plan) {
  const auto samples = static_cast<double>(plan.cloud.samples);
  return need.bytes(samples, samples, static_cast<double>(plan.grid.cells()));
}

namespace {

std::string time_text(double seconds) { return seconds > 0 ? format_duration(seconds) : "-"; }
std::string memory_text(double bytes) { return bytes > 0 ? format_bytes(bytes) : "-"; }

std::vector<std::string> row_of(const EngineOffer& row, const DensityPlan& plan) {
  const Offer& offer = row.offer;
  return {row.entry->traits.name == plan.engine ? "*" : "",
          std::string(row.entry->traits.name),
          time_text(offer.seconds.run),
          time_text(offer.seconds.total()),
          memory_text(bytes_of(offer.host, plan)),
          memory_text(bytes_of(offer.device, plan)),
          offer.error > 0 ? fmt::format("{:.0e}", offer.error) : "-",
          offer.repeats ? "exactly" : "nearly"};
}

std::string offers_table(const DensityPlan& plan) {
  std::vector<std::vector<std::string>> rows{
      {"", "engine", "run", "in all", "host", "GPU", "error", "reproducible"}};
  std::string refusals;
  for (const EngineOffer& row : plan.offers) {
    if (row.offer.serves())
      rows.push_back(row_of(row, plan));
    else
      refusals += fmt::format("- {} cannot compute it: {}\n", row.entry->traits.name,
                              with_flags(row.offer.refusal));
  }
  std::string text;
  const std::vector<bool> right{false, false, true, true, true, true, true, false};
  for (const std::string& line : aligned_rows(rows, right)) text += line + '\n';
  return text + '\n' + refusals;
}

std::string bandwidth_text(const Bandwidth& bandwidth) {
  if (bandwidth.source == "samples") return "per-sample";
  return bandwidth.h > 0 ? fmt::format("h = {} ({})", format_value(bandwidth.h), bandwidth.source)
                         : "H as given";
}

std::string memory_text(const DensityPlan& plan) {
  const MemoryPlan& memory = plan.memory;
  const bool is_cut = memory.part_samples > 0 || memory.slabs > 1;  // of which the line has it
  return memory.describe() +
         (is_cut ? ""
                 : fmt::format(", {} of memory",
                               format_bytes(static_cast<double>(memory.host_bytes))));
}

}  // namespace

std::string offers_text(const DensityPlan& plan) {
  const auto [nx, ny, nz] = plan.grid.dims;
  return fmt::format("{} samples onto {} x {} x {} cells, {} kernels\n\n",
                     format_count(static_cast<std::uint64_t>(plan.cloud.samples)), nx, ny, nz,
                     plan.kernel.function->name) +
         offers_table(plan) +
         "* marks the engine used without --engine. Times are predictions; 'in all' includes the "
         "start of a\nGPU and the copies to it and back. Memory is in addition to the samples and "
         "the volume.\n";
}

namespace {

std::string text_of(Report report, const DensityPlan& plan) {
  const WorkForecast& forecast = plan.forecast;
  const Vec3 half = plan.kernel.half_extents();
  report.line("samples",
              plan.one_pass ? "read once, while they are summed" : counts_text(plan.counts));
  report.line("kernel", kernel_text(plan.kernel.function, plan.columns));
  report.line("bandwidth", bandwidth_text(plan.bandwidth) +
                               (plan.is_provisional ? ", until the run has chosen another" : ""));
  report.line("reach", fmt::format("{}, {}, {} along x, y, z", format_value(half.x),
                                   format_value(half.y), format_value(half.z)));
  add_grid(report, plan.grid, plan.precision, plan.columns.units());
  add_cells(report, plan.grid, plan.reach_ratio);
  if (has_boundary(plan.boundaries)) report.line("boundary", boundary_text(plan.boundaries));
  if (!plan.engine.empty()) report.line("engine", plan.engine);
  for (const RejectedEngine& faster : plan.rejected)
    report.line("not " + faster.engine, "faster here, but " + faster.why);
  if (plan.obstacle) {
    report.line("obstacle", with_flags(plan.obstacle->what()));
  } else {
    report.line("memory", memory_text(plan));
    report.line("takes", forecast.seconds > 0
                             ? fmt::format("about {}", format_duration(forecast.seconds))
                             : "unknown");
    report.line("result", format_bytes(forecast.result_bytes));
  }
  return report.text() + '\n' + offers_table(plan);
}

Report sums_report(const SumsPlan& plan) {
  Report report;
  if (plan.window > 0)
    report.line("window", fmt::format("the last {} samples", format_count(plan.window)));
  else
    report.line("part", fmt::format("{} of {}", plan.part.part + 1, plan.part.parts));
  report.line("digits",
              fmt::format("integer sums in units of 2^{} of the peak of a kernel of weight 1",
                          -plan.head.problem.binary_digits));
  return report;
}

}  // namespace

CommandResult plan_result(const SummaryForm& form, const std::vector<std::string>& inputs,
                          const DensityPlan& plan) {
  return {form, document_json(PlanShown{inputs, &plan}), text_of({}, plan)};
}

CommandResult plan_result(const SummaryForm& form, const std::vector<std::string>& inputs,
                          const SumsPlan& plan) {
  return {form, document_json(PlanShown{inputs, &plan, &plan}), text_of(sums_report(plan), plan)};
}

}  // namespace skde::cli
