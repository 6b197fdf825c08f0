#include "viewer/session/options/appearance_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "cli/exit_code.hpp"
#include "core/report/value_parsers.hpp"

namespace skde::view {
namespace {

constexpr std::array<std::pair<std::string_view, bool Appearance::*>, 4> kDecorations{
    {{"axes", &Appearance::axes},
     {"bar", &Appearance::bar},
     {"mass", &Appearance::mass},
     {"triad", &Appearance::triad}}};

void take_decorations(const std::string& given, Appearance& appearance) {
  const bool all = given == "all";
  for (const auto& entry : kDecorations) appearance.*entry.second = all;
  if (all || given == "none") return;
  for (std::size_t begin = 0; begin <= given.size();) {
    const std::size_t end = std::min(given.find(',', begin), given.size());
    const std::string name = given.substr(begin, end - begin);
    const auto found = std::ranges::find(kDecorations, name, [](const auto& e) { return e.first; });
    if (found == kDecorations.end())
      cli::usage_error(
          fmt::format("must be all, none, or some of axes,bar,mass,triad; got '{}'", given));
    appearance.*found->second = true;
    begin = end + 1;
  }
}

}  // namespace

std::array<int, 2> parse_picture_size(const std::string& given) {
  const std::size_t cross = given.find('x');
  if (cross == given.npos) cli::usage_error(fmt::format("must be WIDTHxHEIGHT; got '{}'", given));
  const WholeNumber side(kLeastPictureSide, kMostPictureSide);
  return {static_cast<int>(side(given.substr(0, cross))),
          static_cast<int>(side(given.substr(cross + 1)))};
}

void add_appearance_flags(cli::OptionTable& table, Appearance& appearance) {
  table.value({.name = "theme",
               .value = "dark|light",
               .help = "colours of panels and ground",
               .by_default = "dark"},
              appearance.theme, OneOf<Theme>(kThemes));
  table.value({.name = "ground",
               .value = "theme|dark|light|transparent",
               .help = "ground of pictures that are written",
               .by_default = "theme"},
              appearance.ground, OneOf<Ground>(kGrounds));
  table.value({.name = "title", .value = "TEXT", .help = "title above the views"}, appearance.title,
              [](const std::string& given) { return given; });
  table.value({.name = "decorations",
               .value = "NAME,...",
               .help = "what stands on the picture: axes, bar, mass, triad; or all, or none",
               .by_default = "all"},
              appearance, [&appearance](const std::string& given) {
                Appearance changed = appearance;
                take_decorations(given, changed);
                return changed;
              });
  table.value({.name = "picture-format",
               .value = "png|svg|pdf",
               .help = "format of the pictures that F12 writes",
               .by_default = "png"},
              appearance.format, OneOf<PictureFormat>(kPictureFormats));
  table.value({.name = "picture-size",
               .value = "WxH",
               .help = "their size, in pixels",
               .by_default = "that of the views"},
              appearance.size, parse_picture_size);
}

}  // namespace skde::view
