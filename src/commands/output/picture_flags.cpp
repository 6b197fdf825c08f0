#include "commands/output/picture_flags.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "analysis/mass_levels.hpp"
#include "cli/options/density_options.hpp"
#include "cli/options/option_table.hpp"
#include "commands/output/volume_input.hpp"
#include "core/density_metadata.hpp"
#include "core/report/error.hpp"
#include "core/report/value_parsers.hpp"
#include "core/space/volume.hpp"
#include "estimate/fields/density_fields.hpp"
#include "pictures/picture_look.hpp"

namespace skde::cli {

void add_look_flags(OptionTable& table, PictureLook& look) {
  add_flip_flag(table, look.flipped);
  table.value({.name = "title",
               .value = "TEXT",
               .help = "title of the picture",
               .by_default = "what the values are",
               .runs = run_kind::kWhole | run_kind::kCategories},
              look.title);
  table.value({.name = "colors",
               .value = "MAP",
               .help = "colour map of the picture; blue-red and green-purple diverge from 0",
               .by_default = "viridis; blue-red for differences and ratios",
               .runs = run_kind::kWhole | run_kind::kCategories},
              look.map, OneOf<ColorMap>(kColorMaps));
  table.flag({.name = "log",
              .help = "colours by the logarithms of values, down to 1/10,000 of the greatest",
              .runs = run_kind::kWhole | run_kind::kCategories},
             look.log);
  table.value(
      {.name = "mass-lines",
       .value = "MASS,...",
       .help = "lines around the smallest regions with these shares of the mass, each above 0 "
               "and below 1; of maxima, the outlines of the regions",
       .by_default = "no lines",
       .runs = run_kind::kWhole},
      look.masses, list_of(parse_mass));
}

void require_no_look(const ParsedFlags& flags, const char* without) {
  for (const char* const name : {"flip", "title", "colors", "log", "mass-lines"})
    if (flags.has(name))
      throw Error(ErrorKind::usage, fmt::format("--{} has no effect {}; drop it", name, without));
}

bool is_picture_name(const std::string& path) {
  return std::ranges::any_of(std::array{".png", ".svg", ".pdf"},
                             [&](const char* extension) { return path.ends_with(extension); });
}

void require_picture(const std::string& path) {
  if (!SKDE_HAS_PICTURES)
    throw Error(ErrorKind::unsupported, fmt::format("{}: this build cannot write pictures", path),
                {"picture", "configure it with SKDE_WITH_PICTURES=ON and cairo"});
  if (!is_picture_name(path))
    throw Error(ErrorKind::usage,
                fmt::format("--picture must end in .png, .svg or .pdf; got '{}'", path));
}

std::vector<LevelLine> mass_lines(const PictureLook& look, const Volume& volume,
                                  const DensityMetadata& metadata) {
  std::vector<LevelLine> lines;
  if (look.masses.empty()) return lines;
  if (!metadata.values.empty())
    throw Error(ErrorKind::usage, fmt::format("'{}' has no mass", metadata.values),
                {"mass_lines", "drop `mass_lines`"});
  const double whole = density_mass(volume, metadata).whole_of_cells();
  for (const MassLevel& level : mass_levels(volume, look.masses, whole))
    lines.push_back({level.level, fmt::format("{:.4g} %", 100 * level.mass)});
  return lines;
}

}  // namespace skde::cli
