#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cli/exit_code.hpp"
#include "cli/output_path.hpp"
#include "core/report/value_parsers.hpp"
#include "pictures/layered_document.hpp"
#include "viewer/session/options/topic_options.hpp"

namespace skde::view {
namespace {

int parse_count(const std::string& given) {
  return static_cast<int>(WholeNumber(1, 1000000)(given));
}

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

void add_picture_flags(cli::OptionTable& table, ViewOptions& options) {
  table.group("Pictures");
  table.value(
      {.name = "screenshot",
       .value = "FILE.png",
       .help = "writes the picture and exits; needs no display. Axes and letters of .svg and "
               ".pdf are shapes, and the whole of the method with --view method"},
      options.screenshot);
  add_film_flags(table, options.film);
  table.value({.name = "size",
               .value = "WxH",
               .help = "size of the pictures or the window, in pixels",
               .by_default = "1280x800"},
              options.size, parse_picture_size);
  table.value({.name = "scale",
               .value = "S",
               .help = "scale of text and lines, 2 for pictures of twice as many pixels",
               .by_default = "the display's, 1 without one"},
              options.scale, [](const std::string& given) {
                const double scale = RealNumber(0)(given);
                if (scale < 0.5 || scale > 8)
                  cli::usage_error(fmt::format("must be from 0.5 to 8; got '{}'", given));
                return scale;
              });
  table.value({.name = "reference",
               .value = "FILE.png",
               .help = "compares the screenshot with this picture, and fails if they differ"},
              options.reference);
  table.value({.name = "threshold",
               .value = "T",
               .help = "largest mean difference of a channel of 0..255",
               .by_default = "1"},
              options.threshold, RealNumber(0));
  table.flag(
      {.name = "copy", .help = "copies the screenshot to the clipboard too, by xclip or wl-copy"},
      options.copy);
  table.flag({.name = "panels", .help = "shows the panels in pictures too"}, options.panels);
  table.value({.name = "benchmark-frames",
               .value = "N",
               .help = "prints times of frames and densities as JSON and exits; needs no display"},
              options.benchmark_frames, parse_count);
}

void check_pictures(const cli::ParsedFlags& flags, const ViewOptions& options) {
  for (const auto& [name, other] : {std::pair{"picture-format", "the file's name says the format"},
                                    std::pair{"picture-size", "--size is the size"}})
    if (options.headless() && flags.has(name))
      cli::usage_error(fmt::format("--{} is for F12 in a window; here {}; drop it", name, other));
  if (flags.has("reference") && options.screenshot.empty())
    cli::usage_error(
        "--reference has no effect without --screenshot; add --screenshot, or drop it");
  if (options.copy && options.screenshot.empty())
    cli::usage_error("--copy has no effect without --screenshot; add --screenshot, or drop it");
  if (flags.has("threshold") && options.reference.empty())
    cli::usage_error("--threshold has no effect without --reference; add --reference, or drop it");
  if (options.headless() && options.state.cloud.paths.empty())
    cli::usage_error(
        "no input is given: name files of points, or a volume; see 'skde-view --help'");
  std::vector<std::string> read = options.state.cloud.paths;
  if (!options.reference.empty()) read.push_back(options.reference);
  if (!options.screenshot.empty()) {
    const bool document = is_document_name(options.screenshot);
    if (!document && !options.screenshot.ends_with(".png"))
      cli::usage_error(
          fmt::format("--screenshot must end in .png, .svg or .pdf; got '{}'", options.screenshot));
    if (document && (options.panels || !options.reference.empty()))
      cli::usage_error("--panels and --reference need a --screenshot that ends in .png");
    cli::require_not_read(options.screenshot, "--screenshot", read);
    cli::require_writable(options.screenshot, "--screenshot");
  }
}

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
