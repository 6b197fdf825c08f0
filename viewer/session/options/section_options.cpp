#include "viewer/session/options/section_options.hpp"

#include <fmt/core.h>

#include <string_view>
#include <vector>

#include "cli/exit_code.hpp"
#include "core/report/number_list.hpp"
#include "io/json_geometry.hpp"

namespace skde::view {
namespace {

constexpr std::string_view kMiddle = "middle";

std::optional<Vec3> parse_place(const std::string& given) {
  if (given == kMiddle) return std::nullopt;
  const std::vector<double> v = parse_finite_list(given, 3);
  if (v.empty())
    cli::usage_error(fmt::format("must be X,Y,Z in world units, or middle; got '{}'", given));
  return Vec3{v[0], v[1], v[2]};
}

}  // namespace

void add_section_flags(cli::OptionTable& table, ViewOptions& options) {
  Sections& sections = options.state.sections;
  table.value({.name = "slices",
               .value = "X,Y,Z",
               .help = "three orthogonal slices through this place, in world units, or through the "
                       "middle; prints the density of the cell there",
               .by_default = "middle"},
              sections.at, parse_place);
  table.value({.name = "slice-planes",
               .value = "off|within|alone",
               .help = "shows the slices as planes in the volume, or without the volume",
               .by_default = "off, within if --slices is given"},
              sections.shown, OneOf<SectionsShown>(kSectionsShown));
  table.value({.name = "slice-samples",
               .value = "SHARE",
               .help = "over the slices of --view slices, shows the samples that are this near, as "
                       "a share of the box's edge",
               .by_default = "0.02"},
              sections.near, RealNumber(0, 1));
  table.flag({.name = "slice-smooth",
              .help = "interpolates the slices between cells, instead of one colour a cell"},
             sections.smooth);
}

void take_sections(const cli::ParsedFlags& flags, ViewOptions& options) {
  ViewState& state = options.state;
  const bool flat = state.layout == ViewLayout::slices;
  if (flags.has("slices") && !flags.has("slice-planes"))
    state.sections.shown = SectionsShown::within;
  options.tell_sections = flags.has("slices");
  if (!options.headless()) return;
  const bool shown = flat || state.sections.shown != SectionsShown::off;
  for (const std::string_view name : {"slices", "slice-smooth"})
    if (flags.has(name) && !shown)
      cli::usage_error(
          fmt::format("--{} has no effect without --slice-planes or --view slices; drop it", name));
  if (flags.has("slice-samples") && !flat)
    cli::usage_error("--slice-samples has no effect without --view slices; drop it");
}

nlohmann::ordered_json sections_json(const Sections& sections) {
  return {{"shown", word_of(kSectionsShown, sections.shown)},
          {"at", io::to_json(sections.at)},
          {"smooth", sections.smooth},
          {"samples_within", sections.near}};
}

Sections sections_from(io::JsonObject object) {
  Sections sections;
  object.read_word("shown", sections.shown, kSectionsShown);
  io::read_optional(object, "at", sections.at, io::vector_from);
  object.read("smooth", sections.smooth);
  object.read("samples_within", sections.near, 0, 1);
  object.finish();
  return sections;
}

}  // namespace skde::view
