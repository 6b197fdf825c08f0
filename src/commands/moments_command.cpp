
#include "cli/options/density_options.hpp"
#include "cli/outputs.hpp"
#include "cli/terminal_progress.hpp"
#include "commands/commands.hpp"
#include "commands/partial_run.hpp"
#include "estimate/read/input_error.hpp"
#include "estimate/read/part_reader.hpp"
#include "io/points/columns/width_columns.hpp"
#include "io/points/formats/open_points.hpp"
#include "io/points/partial_sums_file.hpp"
#include "io/text/json_object.hpp"

namespace skde::cli {
namespace {

struct MomentsSettings {
  DensityOptions density;
  io::CloudPart part;
  std::string output;
  bool json = false, quiet = false;
};

OptionTable moments_table(MomentsSettings& settings) {
  OptionTable table("skde moments", "IN... [-o OUT.json] [FLAGS]",
                    "Computes the exact count, weight and moments of a cloud, or of a part of it. "
                    "Moments of parts, merged by 'skde merge', have the same bits however the "
                    "cloud was divided. 'skde density --moments' uses them.");
  table.group("Output");
  table.value({.name = "output",
               .value = "FILE.json",
               .help = "file to write the moments to",
               .by_default = "standard output",
               .letter = 'o',
               .names_file = true},
              settings.output);
  table.flag({.name = "json", .help = "prints the moments on standard output too", .local = true},
             settings.json);
  table.flag({.name = "quiet", .help = "no progress bar", .local = true}, settings.quiet);
  table.group("Parts");
  add_part_flag(table, settings.part);
  add_density_fields(table, settings.density, target::kCloud);
  table.example("skde moments points.csv --part 3/64 -o m3.json", "of a part, in a job array");
  table.example("skde merge m*.json -o moments.json", "the moments of all parts");
  return table;
}

CommandResult run_moments(MomentsSettings& settings, const ParsedFlags& flags, const Invocation&) {
  settings.density.files.paths = flags.positionals;
  if (flags.positionals.empty())
    throw Error(ErrorKind::usage,
                "no input is given: name files of points, or - for standard input");
  require_inputs(flags.positionals);
  CloudFiles& files = settings.density.files;
  if (!flags.has("widths") && files.columns.weight.empty() &&
      io::are_mixtures(files.paths, files.columns, files.open))
    files.columns.weight = io::kMass;
  if (!settings.output.empty()) {
    require_not_read(settings.output, "-o", flags.positionals);
    require_writable(settings.output, "-o");
  }
  TerminalProgress progress(!settings.quiet);
  try {
    const PartialCloud cloud = read_part(settings.density.files, settings.part, 0, kSamplesAtOnce,
                                         progress, [](const SamplesView&) {});
    progress.clear();
    const nlohmann::ordered_json json = io::moments_document(cloud);
    if (!settings.output.empty()) io::write_json(settings.output, json);
    return {{settings.json || settings.output.empty()},
            json,
            settings.output.empty() ? io::json_text(json) : ""};
  } catch (const Error& error) {
    throw naming_inputs(error, settings.density.files.paths);
  }
}

}  // namespace

const Command kMoments = command<moments_table, run_moments>(
    "moments", "computes the exact moments of a cloud, or of a part of it");

}  // namespace skde::cli
