#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "cli/exit_code.hpp"
#include "core/report/number_list.hpp"
#include "viewer/session/options/topic_options.hpp"

namespace skde::view {
namespace {

using Corner = std::array<double, 2>;

/// Returns the corners of "X,Y:X,Y:..."; two are those of a box.
std::vector<Corner> parse_outline(const std::string& given) {
  std::vector<Corner> corners;
  for (std::size_t begin = 0, end = 0; end != given.npos; begin = end + 1) {
    end = given.find(':', begin);
    const std::vector<double> v = parse_finite_list(given.substr(begin, end - begin), 2);
    if (v.empty()) {
      corners.clear();
      break;
    }
    corners.push_back({v[0], v[1]});
  }
  if (corners.size() < 2)
    cli::usage_error(
        fmt::format("must be X,Y:X,Y for a box, or three or more places for an "
                    "outline, in pixels from the upper left corner; got '{}'",
                    given));
  if (corners.size() > 2) return corners;
  const auto [ax, ay] = corners[0];
  const auto [bx, by] = corners[1];
  return {{ax, ay}, {bx, ay}, {bx, by}, {ax, by}};
}

std::array<double, 2> parse_pixel(const std::string& given) {
  const std::vector<double> v = parse_finite_list(given, 2);
  if (v.empty() || v[0] < 0 || v[1] < 0)
    cli::usage_error(
        fmt::format("must be X,Y: pixels from the upper left corner; got '{}'", given));
  return {v[0], v[1]};
}

bool have_shapes(const CloudFiles& cloud) {
  return cloud.columns.shaped() && cloud.columns.width_form != io::WidthForm::factor;
}

}  // namespace

void add_selection_flags(cli::OptionTable& table, ViewOptions& options) {
  table.value({.name = "select",
               .value = "X,Y:X,Y[:...]",
               .help = "selects the samples in a box of the picture, or within an outline of three "
                       "or more places; prints their number and their share of the mass"},
              options.select, parse_outline);
  table.flag({.name = "select-only", .help = "shows the density of the selected samples alone"},
             options.select_only);
}

void check_selection_flags(const cli::ParsedFlags& flags, const ViewOptions& options) {
  if (flags.has("select-only") && !flags.has("select"))
    cli::usage_error("--select-only has no effect without --select; drop it");
  if (!flags.has("select")) return;
  if (!options.headless())
    cli::usage_error("--select has no effect on a window, where Ctrl and a drag select; drop it");
  if (options.state.layout == ViewLayout::method)
    cli::usage_error("--select has no effect with --view method; drop it");
}

void add_ellipsoid_flags(cli::OptionTable& table, ViewOptions& options) {
  table.value({.name = "ellipsoids",
               .value = "off|under|alone",
               .help = "shows the members of a mixture, or splats, as ellipsoids at one deviation, "
                       "coloured by mass: under the volume, or alone",
               .by_default = "off"},
              options.state.ellipsoids, OneOf<EllipsoidsShown>(kEllipsoidsShown));
  table.value({.name = "pick",
               .value = "X,Y",
               .help = "marks the ellipsoid at this pixel of the picture, and prints its numbers"},
              options.pick, parse_pixel);
  table.value({.name = "probe",
               .value = "X,Y",
               .help = "pins the place at this pixel of the picture, and prints position, density, "
                       "the mass above it and the nearest sample"},
              options.probe, parse_pixel);
}

void check_ellipsoid_flags(const cli::ParsedFlags& flags, const ViewOptions& options) {
  const bool shown = options.state.ellipsoids != EllipsoidsShown::off;
  if (flags.has("pick") && !options.headless())
    cli::usage_error("--pick has no effect on a window, where a click picks; drop it");
  if (flags.has("probe") && !options.headless())
    cli::usage_error("--probe has no effect on a window, where a click pins; drop it");
  if (!options.headless()) return;
  if (flags.has("probe") && options.state.layout == ViewLayout::method)
    cli::usage_error("--probe has no effect with --view method; drop it");
  if (flags.has("ellipsoids") && shown && !have_shapes(options.state.cloud))
    cli::usage_error(
        "--ellipsoids needs a mixture, splats, or samples with --widths; drop it, or fit a mixture "
        "with skde fit");
  if (flags.has("pick") && !(shown && have_shapes(options.state.cloud)))
    cli::usage_error(
        "--pick has no effect without ellipsoids; add --ellipsoids under or --ellipsoids alone");
  const bool looked_at = options.state.layout != ViewLayout::method;
  if (!looked_at && shown && flags.has("ellipsoids"))
    cli::usage_error("--ellipsoids has no effect with --view method; drop it");
}

}  // namespace skde::view
