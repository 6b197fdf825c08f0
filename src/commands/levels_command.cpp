#include <fmt/core.h>

#include "analysis/mass_levels.hpp"
#include "cli/json_document.hpp"
#include "cli/number_format.hpp"
#include "cli/options/option_table.hpp"
#include "cli/report_parts.hpp"
#include "cli/standard_output.hpp"
#include "cli/terminal_progress.hpp"
#include "commands/commands.hpp"
#include "commands/mass_options.hpp"
#include "commands/output/volume_input.hpp"
#include "commands/served_commands.hpp"

namespace skde::cli {
namespace {

struct LevelsSettings {
  std::vector<double> masses{0.5, 0.68, 0.95};
  bool json = false, quiet = false;
};

OptionTable levels_table(LevelsSettings& settings) {
  OptionTable table("skde levels", "VOLUME [FLAGS]",
                    "Tells at which level the region of highest density holds a mass, and how "
                    "large that region is. What lies outside of the box counts as lowest.");
  table.group("Regions");
  add_mass_flag(table, "0.5,0.68,0.95", settings.masses);
  table.group("Output");
  add_summary_flags(table, settings.json, settings.quiet);
  add_server_flag(table);
  table.example("skde levels density.vti --mass 0.5,0.95", "the half and nearly all of the mass");
  table.example("skde levels density.nrrd --json", "for a program");
  return table;
}

std::string volume_unit(const std::string& units) {
  return units.empty() ? "" : fmt::format(" {}^3", units);
}

std::string levels_text(const VolumeInput& input, const DensityMass& mass,
                        const std::vector<MassLevel>& levels) {
  Report report;
  add_input(report, input, mass);
  std::vector<std::vector<std::string>> rows{{"mass", "level", "volume", "held"}};
  rows.reserve(levels.size() + 1);
  for (const MassLevel& level : levels)
    rows.push_back({format_share(level.mass), format_value(level.level),
                    format_value(level.volume) + volume_unit(input.units()),
                    format_share(level.held)});
  report.table("regions", rows);
  return report.text();
}

nlohmann::ordered_json levels_json(const VolumeInput& input, const DensityMass& mass,
                                   const std::vector<MassLevel>& levels) {
  nlohmann::ordered_json json = json_document("levels");
  json["inputs"] = {input.path};
  json["grid"] = grid_json(input.grid(), input.file.volume.precision());
  json["units"] = text_or_null(input.units());
  json["mass"] = mass_json(mass);
  json["levels"] = nlohmann::ordered_json::array();
  for (const MassLevel& level : levels)
    json["levels"].push_back({{"mass", level.mass},
                              {"level", level.level},
                              {"volume", level.volume},
                              {"held", level.held}});
  return json;
}

}  // namespace

CommandResult run_levels(const Invocation& invocation) {
  LevelsSettings settings;
  const OptionTable table = levels_table(settings);
  const ParsedFlags flags = table.parse(invocation.arguments);
  if (flags.help_wanted) return help_page(table, flags);
  const std::string path = only_volume(flags);
  TerminalProgress progress(!settings.quiet);
  const VolumeInput input = read_input(path, progress);
  progress.clear();
  const DensityMass mass = mass_of_input(input);
  const std::vector<MassLevel> levels = about_volume(input, [&] {
    return mass_levels(input.file.volume, settings.masses, mass.whole_of_cells(), progress);
  });
  progress.clear();
  return {{settings.json, settings.quiet},
          levels_json(input, mass, levels),
          levels_text(input, mass, levels)};
}

}  // namespace skde::cli
