#include "viewer/session/options/selection_options.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "cli/exit_code.hpp"
#include "core/report/number_list.hpp"

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

nlohmann::ordered_json outlines_json(const std::vector<OutlinedPlaces>& outlines) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const OutlinedPlaces& one : outlines)
    list.push_back({{"to_picture", one.to_picture}, {"outline", one.outline}});
  return list;
}

std::vector<OutlinedPlaces> outlines_from(io::JsonObject& object, std::string_view key) {
  std::vector<OutlinedPlaces> outlines;
  if (!object.has(key)) return outlines;
  object.objects(key, [&](io::JsonObject one) {
    one.require({"to_picture", "outline"});
    OutlinedPlaces places;
    const std::vector<double> rows = one.numbers(*one.find("to_picture"), "to_picture", 12);
    std::ranges::copy(rows, places.to_picture.begin());
    const auto& corners = *one.find("outline");
    if (!corners.is_array() || corners.size() < 3)
      one.fail("outline", "must have 3 or more places");
    for (const auto& corner : corners) {
      const std::vector<double> v = one.numbers(corner, "outline", 2);
      places.outline.push_back({v[0], v[1]});
    }
    one.finish();
    outlines.push_back(std::move(places));
  });
  return outlines;
}

}  // namespace skde::view
