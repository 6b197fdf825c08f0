#include "viewer/session/options/picture_options.hpp"

#include <fmt/core.h>

#include <utility>

#include "cli/exit_code.hpp"
#include "cli/output_path.hpp"
#include "pictures/layered_document.hpp"
#include "viewer/session/options/appearance_options.hpp"
#include "viewer/session/options/film_options.hpp"

namespace skde::view {
namespace {

int parse_count(const std::string& given) {
  return static_cast<int>(WholeNumber(1, 1000000)(given));
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

}  // namespace skde::view
