#include <fmt/core.h>

#include "analysis/mass_levels.hpp"
#include "cli/options/option_table.hpp"
#include "cli/report_parts.hpp"
#include "cli/results/shared_tables.hpp"
#include "cli/standard_output.hpp"
#include "cli/terminal_progress.hpp"
#include "cli/text/number_format.hpp"
#include "commands/commands.hpp"
#include "commands/mass_options.hpp"
#include "commands/output/named_volumes.hpp"
#include "commands/output/summary_documents.hpp"
#include "commands/output/volume_input.hpp"

namespace skde::cli {
namespace {

struct LevelsSettings {
  std::vector<double> masses{0.5, 0.68, 0.95};
  std::string field;
  bool json = false, quiet = false;
};

OptionTable levels_table(LevelsSettings& settings) {
  OptionTable table(
      "skde levels", "VOLUME [FLAGS]",
      "Computes the density level of the region of highest density that holds a given mass, and "
      "the size of that region. Density outside the box counts as the lowest.");
  table.group("Regions");
  add_mass_flag(table, "0.5,0.68,0.95", settings.masses);
  add_field_flag(table, settings.field);
  table.group("Output");
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
  std::vector<MassLevel> levels;
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
}

namespace {

CommandResult run_levels(LevelsSettings& settings, const ParsedFlags& flags, const Invocation&) {
  const std::string path = only_volume(flags);
  return for_each_volume(path, settings.field, {}, [&](const std::string& field, const auto&) {
    TerminalProgress progress(!settings.quiet);
    LevelsRun run{
        .input = read_input(volume_named(path, field), progress), .mass = {}, .levels = {}};
    progress.clear();
    if (const std::string& values = run.input.file.metadata.values; !values.empty())
      throw Error(ErrorKind::input, fmt::format("{}: holds the values '{}' instead of a density",
                                                run.input.path, values));
    run.mass = mass_of_input(run.input);
    run.levels = about_volume(run.input, [&] {
      return mass_levels(run.input.file.volume, settings.masses, run.mass.whole_of_cells(),
                         progress);
    });
    progress.clear();
    return show_result({settings.json, settings.quiet}, run);
  });
}

}  // namespace

const Command kLevels = command<levels_table, run_levels>(
    "levels", "computes the density levels of a volume's regions of highest density");

const AnyTable& levels_document() { return result_table<LevelsRun>(); }

}  // namespace skde::cli
