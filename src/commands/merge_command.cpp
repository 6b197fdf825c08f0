#include <fmt/core.h>

#include <algorithm>

#include "cli/exit_code.hpp"
#include "cli/outputs.hpp"
#include "cli/report_parts.hpp"
#include "cli/results/report.hpp"
#include "cli/results/shared_tables.hpp"
#include "cli/terminal_progress.hpp"
#include "cli/text/terminal_text.hpp"
#include "commands/commands.hpp"
#include "commands/output/summary_documents.hpp"
#include "commands/output/volume_output.hpp"
#include "core/version.hpp"
#include "estimate/sum/merged_density.hpp"
#include "estimate/sum/part_sums.hpp"
#include "io/points/partial_sums_file.hpp"
#include "io/text/json_object.hpp"

namespace skde::cli {
namespace {

struct MergeSettings {
  std::vector<std::string> inputs;
  io::OpenFiles files;
  std::string output, format;
  Normalization normalization = Normalization::density;
  bool json = false, quiet = false;
};

constexpr std::string_view kMomentsExtension = ".json";

OptionTable merge_table(MergeSettings& settings) {
  OptionTable table(
      "skde merge", "PART... -o OUT [FLAGS]",
      "Combines partial sums that 'skde density -o PART.skp' wrote into a density, or moments of "
      "parts into moments. The result has the same bits however the cloud was divided.");
  table.group("Output");
  add_output_flags(table, settings.output, settings.format);
  table.value({.name = "normalize",
               .value = "density|box|count",
               .help = "integral 1 over all space, integral 1 over the box, or the sum of weights "
                       "over all space",
               .by_default = "density"},
              settings.normalization, OneOf<Normalization>(kNormalizations));
  add_summary_flags(table, settings.json, settings.quiet);
  table.example("skde merge part_*.skp -o density.vti", "a density of all parts");
  table.example("skde merge part_1?.skp -o ten.skp", "some of the parts, to be merged again later");
  table.example("skde merge m*.json -o moments.json", "the moments of all parts");
  return table;
}

/// Returns whether a file has moments, by its contents. If it cannot be opened, decides by its
/// name; its reader then reports the error.
bool holds_moments(const std::string& path, const io::OpenFiles& files) {
  try {
    char first = 0;
    return files.source(path)->read(&first, 1) == 1 && first == '{';
  } catch (const Error&) {
    return path.ends_with(kMomentsExtension);
  }
}

/// Returns whether all inputs are moments, which are JSON whatever their names. Throws Error(usage)
/// if only some are.
bool are_moments(const std::vector<std::string>& inputs, const io::OpenFiles& files) {
  const auto moments = std::ranges::count_if(
      inputs, [&](const std::string& path) { return holds_moments(path, files); });
  if (moments == 0) return false;
  if (static_cast<std::size_t>(moments) == inputs.size()) return true;
  throw Error(ErrorKind::usage,
              "moments (.json) and partial sums cannot be mixed; use separate calls");
}

/// The merged sums or moments, and where they were written.
struct Merged {
  const MergeSettings* settings = nullptr;
  const PartialCloud* cloud = nullptr;
  const PartialHead* head = nullptr;  ///< null for moments
  const MergedDensity* density = nullptr;
  std::vector<WrittenFile> written;
};

void add_grid_lines(Report& report, const Merged& merged) {
  if (!merged.head) return;
  const PartialProblem& problem = merged.head->problem;
  add_grid(report, problem.grid, problem.precision, merged.cloud->units);
  if (const std::string text = boundary_text(problem.boundaries); !text.empty())
    report.line("boundary", text);
}

void add_peak(Report& report, const Merged& merged) {
  if (!merged.density) return;
  report.line("peak", format_value(merged.density->peak));
  report.line("accuracy", accuracy_text(merged.density->metadata.error_bound, 0, 0));
}

void add_fields(Fields<Merged>& add) {
  add.name("merged", "skde merge --json");
  add("inputs", [](auto& merged) { return merged.settings->inputs; });
  add.line("merged",
           [](auto& merged) { return fmt::format("{} files", merged.settings->inputs.size()); });
  add("samples", [](auto& merged) { return counts_of(merged.cloud->rows); });
  add.line("samples", [](auto& merged) { return counts_text(*merged.cloud); });
  add("total_weight", [](auto& merged) { return merged.cloud->moments.total_weight(); });
  add("grid", "of partial sums", [](auto& merged) {
    return found_in(merged.head, [](auto& head) {
      return StoredGrid{head.problem.grid, head.problem.precision};
    });
  });
  add.lines(add_grid_lines);
  add("normalization", [](auto& merged) {
    return found_in(merged.density, [](auto& density) { return density.metadata.normalization; });
  });
  add("mass_in_box", [](auto& merged) {
    return found_in(merged.density, [](auto& density) { return density.metadata.mass_in_box; });
  });
  add("error_bound", [](auto& merged) {
    return found_in(merged.density, [](auto& density) { return density.metadata.error_bound; });
  });
  add("peak", [](auto& merged) { return found_in(merged.density, &MergedDensity::peak); });
  add.lines(add_peak);
  add("warnings", "of a volume",
      [](auto& merged) { return found_in(merged.density, &MergedDensity::warnings); });
  add_written(add);
}

CommandResult report_merge(const Merged& merged, const VolumeOutput* output) {
  const MergeSettings& settings = *merged.settings;
  return show_result({settings.json, settings.quiet, takes_standard_output(output)}, merged);
}

CommandResult merge_to_file(const MergeSettings& settings, bool moments, Progress& progress) {
  require_not_read(settings.output, "-o", settings.inputs);
  require_writable(settings.output, "-o");
  if (moments) {
    const PartialCloud cloud = merge_moments(settings.inputs, false, settings.files);
    io::write_json(settings.output, io::moments_document(cloud));
    return report_merge(
        {&settings, &cloud, nullptr, nullptr, {written_file("moments", settings.output)}}, nullptr);
  }
  const PartialSums partial = merge_partial_sums(settings.inputs, false, settings.files, progress);
  io::write_partial_sums(settings.output, partial);
  return report_merge({&settings,
                       &partial.head.cloud,
                       &partial.head,
                       nullptr,
                       {written_file("partial sums", settings.output)}},
                      nullptr);
}

CommandResult merge_to_volume(const MergeSettings& settings, const std::string& command_line,
                              TerminalProgress& progress) {
  VolumeOutput output(settings.output, settings.format, settings.inputs);
  const PartialSums partial = merge_partial_sums(settings.inputs, true, settings.files, progress);
  MergedDensity density = density_of(partial.head, partial.sums, settings.normalization);
  density.metadata.command_line = command_line;
  density.metadata.version = kVersion;
  const PartialProblem& problem = partial.head.problem;
  if (!output.is_standard_output())
    output.format().require_room(output.path(), problem.grid, problem.precision);
  output.format().write(output.path(), density.volume, density.metadata, progress);
  const std::vector<WrittenFile> written = output.deliver(progress);
  progress.clear();
  for (const Warning& warning : density.warnings) print_warning("skde", warning);
  return report_merge({&settings, &partial.head.cloud, &partial.head, &density, written}, &output);
}

CommandResult run_merge(MergeSettings& settings, const ParsedFlags& flags,
                        const Invocation& invocation) {
  settings.inputs = flags.positionals;
  if (settings.inputs.empty())
    throw Error(
        ErrorKind::usage,
        "no input is given; name files that 'skde density -o PART.skp' or 'skde moments' wrote");
  if (settings.output.empty())
    throw Error(ErrorKind::usage, "no output is given; name a file with -o FILE");
  const bool moments = are_moments(settings.inputs, settings.files);
  const bool to_moments = settings.output.ends_with(kMomentsExtension);
  if (moments != to_moments)
    throw Error(ErrorKind::usage, moments
                                      ? "moments merge into moments; name a file with -o FILE.json"
                                      : "partial sums merge into a volume or partial sums, not "
                                        "moments; name a volume or -o FILE.skp");
  const bool volume = !moments && !settings.output.ends_with(io::kPartialSumsExtension);
  for (const std::string_view name : {"format", "normalize"})
    if (flags.has(name) && !volume)
      throw Error(ErrorKind::usage,
                  fmt::format("--{} has no effect unless a volume is written; drop it", name));
  TerminalProgress progress(!settings.quiet);
  return volume ? merge_to_volume(settings, invocation.command_line, progress)
                : merge_to_file(settings, moments, progress);
}

}  // namespace

const Command kMerge = command<merge_table, run_merge>(
    "merge", "combines partial sums of a density, or moments of parts");

const AnyTable& merged_document() { return result_table<Merged>(); }

}  // namespace skde::cli
