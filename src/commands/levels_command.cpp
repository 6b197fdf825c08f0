#include <fmt/core.h>

#include "analysis/mass_levels.hpp"
#include "cli/options/option_table.hpp"
#include "cli/results/shared_tables.hpp"
#include "cli/terminal_progress.hpp"
#include "cli/text/terminal_text.hpp"
#include "commands/commands.hpp"
#include "commands/output/summary_documents.hpp"
#include "commands/output/volume_input.hpp"
#include "commands/output/volume_output.hpp"
#include "core/version.hpp"

namespace skde::cli {
namespace {

struct LevelsSettings {
  std::vector<double> masses{0.5, 0.68, 0.95};
  std::vector<double> deviations;  ///< in place of masses
  std::string field, shares;
  bool json = false, quiet = false;
};

OptionTable levels_table(LevelsSettings& settings) {
  OptionTable table(
      "skde levels", "VOLUME [FLAGS]",
      "Computes the density level of the region of highest density that holds a given mass, and "
      "the size of that region. Density outside the box counts as the lowest.");
  table.group("Regions");
  add_mass_flag(table, "0.5,0.68,0.95", settings.masses);
  table.value({.name = "sigma",
               .value = "S,S,...",
               .help = "the masses of a normal density within so many deviations, in place of "
                       "--mass: 0.1987, 0.7385 and 0.9707 for 1, 2 and 3"},
              settings.deviations, list_of(RealNumber(0.01, 8)));
  add_field_flag(table, settings.field);
  table.group("Output");
  table.value({.name = "volume",
               .value = "OUT",
               .help = "volume to write: for each cell the mass of the smallest region that holds "
                       "it, as a share of the total",
               .names_file = true},
              settings.shares);
  add_summary_flags(table, settings.json, settings.quiet);
  table.example("skde levels density.vti --mass 0.5,0.95", "half of the mass and 95 % of it");
  table.example("skde levels density.nrrd --json", "for a program");
  return table;
}

std::string volume_unit(const std::string& units) {
  return units.empty() ? "" : fmt::format(" {}^3", units);
}

/// The levels of a volume.
struct LevelsRun {
  VolumeInput input;
  DensityMass mass;
  std::vector<MassLevel> levels{};
  std::vector<WrittenFile> written{};
};

void add_levels(Report& report, const LevelsRun& run) {
  std::vector<std::vector<std::string>> rows{{"mass", "level", "volume", "held"}};
  rows.reserve(run.levels.size() + 1);
  for (const MassLevel& level : run.levels)
    rows.push_back({format_share(level.mass), format_value(level.level),
                    format_value(level.volume) + volume_unit(run.input.units()),
                    format_share(level.held)});
  report.table("regions", rows);
}

}  // namespace

void add_fields(Fields<MassLevel>& add) {
  add("mass", "share of the total mass that was asked for", &MassLevel::mass);
  add("level", "the lowest density in the region", &MassLevel::level);
  add("volume", "of the region, in cubed units of the coordinates", &MassLevel::volume);
  add("held", "share of the total mass in its cells", &MassLevel::held);
}

void add_fields(Fields<LevelsRun>& add) {
  add.name("levels", "skde levels VOLUME --json");
  add("inputs", [](auto& run) { return std::vector{run.input.path}; });
  add("grid", [](auto& run) { return stored_grid(run.input.file.volume); });
  add("units", [](auto& run) { return known(run.input.units()); });
  add("mass", &LevelsRun::mass);
  add.lines([](auto& report, auto& run) { add_input(report, run.input, run.mass); });
  add("levels", &LevelsRun::levels);
  add.lines(add_levels);
  add_written(add);
}

namespace {

/// Writes the mass above each cell.
void write_shares(const std::string& path, LevelsRun& run, const std::string& command_line,
                  Progress& progress) {
  VolumeOutput output(path, "", {io::volume_path(run.input.path).file});
  DensityMetadata metadata = run.input.file.metadata;
  metadata.values = "mass_above";
  metadata.command_line = command_line;
  metadata.version = kVersion;
  output.format().write(output.path(), mass_above(run.input.file.volume, run.mass.whole_of_cells()),
                        metadata, progress);
  run.written = output.deliver(progress);
}

CommandResult run_levels(LevelsSettings& settings, const ParsedFlags& flags,
                         const Invocation& invocation) {
  const std::string path = only_volume(flags);
  if (flags.has("sigma") && flags.has("mass"))
    usage_error("--mass contradicts --sigma; drop one of them");
  if (flags.has("sigma")) settings.masses.clear();
  for (const double deviations : settings.deviations)
    settings.masses.push_back(mass_within_deviations(deviations));
  return for_each_volume(
      path, settings.field, {settings.shares}, [&](const std::string& field, const auto& outputs) {
        TerminalProgress progress(!settings.quiet);
        LevelsRun run{.input = read_input(volume_named(path, field), progress), .mass = {}};
        progress.clear();
        run.mass = mass_of_input(run.input);
        run.levels = about_volume(run.input, [&] {
          return mass_levels(run.input.file.volume, settings.masses, run.mass.whole_of_cells(),
                             progress);
        });
        if (!outputs[0].empty()) write_shares(outputs[0], run, invocation.command_line, progress);
        progress.clear();
        return show_result({settings.json, settings.quiet}, run);
      });
}

}  // namespace

const Command kLevels = command<levels_table, run_levels>(
    "levels", "computes the density levels of a volume's regions of highest density");

const AnyTable& levels_document() { return result_table<LevelsRun>(); }

}  // namespace skde::cli
