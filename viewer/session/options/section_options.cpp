#include <fmt/core.h>

#include <string_view>
#include <vector>

#include "cli/exit_code.hpp"
#include "core/report/number_list.hpp"
#include "core/space/grid.hpp"
#include "viewer/session/options/topic_options.hpp"

namespace skde::view {
namespace {

constexpr std::string_view kMiddle = "middle";

std::optional<Vec3> parse_place(const std::string& given) {
  if (given == kMiddle) return std::nullopt;
  const std::vector<double> v = parse_finite_list(given, 3);
  if (v.empty())
    cli::usage_error(fmt::format("must be X,Y,Z in world units, peak, or middle; got '{}'", given));
  return Vec3{v[0], v[1], v[2]};
}

ClipPlane parse_plane(const std::string& given) {
  const std::vector<double> v = parse_finite_list(given, 4);
  const ClipPlane plane = v.empty() ? ClipPlane{{}, 0} : ClipPlane{{v[0], v[1], v[2]}, v[3]};
  if (!plane.divides())
    cli::usage_error(
        fmt::format("must be NX,NY,NZ,D: a normal other than 0, and its product with places on the "
                    "plane, such as 1,0,0,2.5 for x = 2.5; got '{}'",
                    given));
  return plane;
}

}  // namespace

void add_section_flags(cli::OptionTable& table, ViewOptions& options) {
  Sections& sections = options.state.sections;
  table.value({.name = "slices",
               .value = "X,Y,Z|peak",
               .help = "three orthogonal slices through this place, in world units, through the "
                       "peak, or through the middle; prints the density of the cell there",
               .by_default = "middle"},
              sections.at, [&options](const std::string& given) {
                options.at_peak = given == "peak";
                return options.at_peak ? std::nullopt : parse_place(given);
              });
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

void add_clip_flags(cli::OptionTable& table, Clip& clip) {
  table.value({.name = "clip-box",
               .value = "X0,Y0,Z0:X1,Y1,Z1",
               .help = "shows only what lies in this box, in world units"},
              clip.box, parse_bounds);
  table.value(
      {.name = "clip-plane",
       .value = "NX,NY,NZ,D",
       .help = "cuts away what lies beyond the plane NX x + NY y + NZ z = D, on the side of "
               "its normal, in world units"},
      clip.plane, parse_plane);
}

}  // namespace skde::view
