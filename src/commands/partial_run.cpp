#include "commands/partial_run.hpp"

#include <fmt/core.h>

#include "cli/json_document.hpp"
#include "cli/number_format.hpp"
#include "cli/output_path.hpp"
#include "cli/report.hpp"
#include "cli/report_parts.hpp"
#include "cli/standard_output.hpp"
#include "cli/terminal_progress.hpp"
#include "commands/output/plan_report.hpp"
#include "commands/output/volume_output.hpp"
#include "estimate/read/input_error.hpp"
#include "estimate/sum/part_sums.hpp"
#include "io/partial_cloud_json.hpp"
#include "io/partial_sums_file.hpp"
#include "system/stop_watch.hpp"

namespace skde::cli {
namespace {

io::CloudPart parse_part(const std::string& given) {
  const std::size_t slash = given.find('/');
  if (slash == given.npos)
    throw Error(ErrorKind::usage, fmt::format("'{}' is not K/N, part K of N", given));
  const WholeNumber number(1, kMostParts);
  const std::uint64_t part = number(given.substr(0, slash)),
                      parts = number(given.substr(slash + 1));
  if (part > parts)
    throw Error(ErrorKind::usage, fmt::format("there is no part {} of {}", part, parts),
                {{}, "count parts from 1"});
  return {part - 1, parts};
}

std::string part_text(const io::CloudPart& part) {
  return fmt::format("{} of {}", part.part + 1, part.parts);
}

std::string summary(const PartialRun& run, const PartialSums& partial, const WrittenFile& written) {
  const PartialHead& head = partial.head;
  Report report;
  report.line("part", part_text(run.partial.part));
  report.line("samples", counts_text(head.cloud));
  report.line("engine", partial.summed_by);
  report.line("kernel", std::string(head.problem.kernel.function->name));
  add_matrix(report, "H", head.problem.kernel.H);
  add_grid(report, head.problem.grid, head.problem.precision, head.cloud.units);
  add_written(report, {written});
  return report.text();
}

nlohmann::ordered_json summary_json(const PartialRun& run, const PartialSums& partial,
                                    const WrittenFile& written, double seconds) {
  const PartialHead& head = partial.head;
  nlohmann::ordered_json json = json_document("partial_sums");
  json["inputs"] = run.density->files.paths;
  json["part"] = run.partial.part.part + 1;
  json["parts"] = run.partial.part.parts;
  json["samples"] = counts_json(head.cloud.rows);
  json["engine"] = partial.summed_by;
  json["kernel"] = head.problem.kernel.function->name;
  json["H"] = matrix_json(head.problem.kernel.H);
  json["binary_digits"] = head.problem.binary_digits;
  json["grid"] = grid_json(head.problem.grid, head.problem.precision);
  json["seconds"] = seconds;
  json["written"] = written_json({written});
  return json;
}

}  // namespace

void add_part_flag(OptionTable& table, io::CloudPart& part) {
  table.value({.name = "part",
               .value = "K/N",
               .help = "part K of N (from 1) of each input alone: files are cut by bytes, which "
                       "costs nothing, and pipes by rows, which reads them whole",
               .by_default = "1/1",
               .local = true},
              part, parse_part);
}

void add_partial_options(OptionTable& table, PartialOptions& options) {
  table.group("Parts");
  add_part_flag(table, options.part);
  table.value({.name = "moments",
               .value = "FILE.json",
               .help = "moments of all parts together, from 'skde moments' and 'skde merge', which "
                       "bandwidth, box and weights of a part follow from; not needed beside "
                       "--bounds and a --bandwidth of lengths",
               .local = true,
               .names_file = true},
              options.moments_file);
}

bool is_partial_run(const ParsedFlags& flags, const std::string& output) {
  const bool plans_alone = output.empty() && flags.has("plan");
  const bool partial = output.ends_with(io::kPartialSumsExtension) ||
                       (plans_alone && (flags.has("part") || flags.has("moments")));
  for (const std::string_view name : {"part", "moments"})
    if (flags.has(name) && !partial)
      throw Error(ErrorKind::usage,
                  fmt::format("--{} goes with partial sums: name a file -o PART{}", name,
                              io::kPartialSumsExtension));
  if (!partial) return false;
  if (flags.has("normalize"))
    throw Error(ErrorKind::usage,
                "--normalize is for 'skde merge', which makes a density of the parts; drop it");
  for (const std::string_view name :
       {"picture", "flip", "format", "by", "verbose", "keep-negatives", "units", "min-width"})
    if (flags.has(name))
      throw Error(ErrorKind::usage,
                  fmt::format("--{} has no effect on partial sums; drop it", name));
  return true;
}

CommandResult run_partial(const PartialRun& run) {
  const StopWatch watch;
  const DensityOptions& density = *run.density;
  std::vector<std::string> read = density.files.paths;
  if (!run.partial.moments_file.empty()) read.push_back(run.partial.moments_file);
  if (!run.output.empty()) {
    require_not_read(run.output, "-o", read);
    require_writable(run.output, "-o");
  }
  TerminalProgress progress(!run.form.quiet);
  SumsRequest request{density.request, run.partial.part, {}, density.memory_limit};
  if (!run.partial.moments_file.empty())
    request.whole = io::read_moments_file(run.partial.moments_file, density.files.open);
  try {
    const SumsPlan plan = plan_sums(density.files, request);
    if (run.plans) return plan_result(run.form, density.files.paths, plan);
    const PartialSums partial = sum_part(density.files, plan, progress);
    io::write_partial_sums(run.output, partial);
    progress.clear();
    const WrittenFile written = written_file("partial sums", run.output);
    return {run.form, summary_json(run, partial, written, watch.seconds()),
            summary(run, partial, written)};
  } catch (const Error& error) {
    throw naming_inputs(error, density.files.paths);
  }
}

}  // namespace skde::cli
