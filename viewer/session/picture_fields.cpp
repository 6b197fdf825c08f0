#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "viewer/session/view_rows.hpp"

namespace skde::view {
namespace {

/// Parses the width and the height in pixels of a text such as 1280x800. Throws Error(usage).
std::array<int, 2> parse_picture_size(const std::string& given) {
  const std::size_t cross = given.find('x');
  if (cross == given.npos) must_be("WIDTHxHEIGHT", given);
  const WholeNumber side(kLeastPictureSide, kMostPictureSide);
  return {static_cast<int>(side(given.substr(0, cross))),
          static_cast<int>(side(given.substr(cross + 1)))};
}

constexpr int kMostFrames = 1000000;
constexpr double kMostRate = 240;

/// A turn, or another film than that of the method, shows the volume.
constexpr FlagNeed kFilmed{[](const ViewOptions& o) {
                             return o.film.kind == FilmKind::method ||
                                    o.state.layout != ViewLayout::method;
                           },
                           "with --view method", "drop it, or say --film method"};

int parse_count(const std::string& given) {
  return static_cast<int>(WholeNumber(1, kMostFrames)(given));
}

std::array<double, 2> parse_range(const std::string& given) {
  const std::vector<double> v = parse_numbers(given, 2, "two numbers, FIRST,LAST");
  return {v[0], v[1]};
}

double parse_rate(const std::string& given) {
  const double rate = RealNumber(0)(given);
  if (!(rate > 0) || rate > kMostRate)
    must_be(fmt::format("above 0 and at most {}", kMostRate), given);
  return rate;
}

void take_panel_width(const std::string& given, Division& division) {
  const double width = RealNumber(0)(given);
  division.panels_shown = width > 0;
  if (width != 0 && (width < Division::kLeastPanels || width > Division::kMostPanels))
    must_be(fmt::format("0, or from {} to {}", Division::kLeastPanels, Division::kMostPanels),
            given);
  division.panels = width == 0 ? Division().panels : width;
}

constexpr std::array<std::pair<Key, bool Appearance::*>, 4> kDecorations{
    {{"axes", &Appearance::axes},
     {"bar", &Appearance::bar},
     {"mass", &Appearance::mass},
     {"triad", &Appearance::triad}}};

void take_decorations(const std::string& given, Appearance& appearance) {
  const bool all = given == "all";
  for (const auto& entry : kDecorations) appearance.*entry.second = all;
  if (all || given == "none") return;
  for (const std::string& name : list_of(as_typed)(given)) {
    const auto found = std::ranges::find(kDecorations, name, [](const auto& e) { return e.first; });
    if (found == kDecorations.end()) must_be("all, none, or some of axes,bar,mass,triad", given);
    appearance.*found->second = true;
  }
}

std::array<int, 2> picture_size_from(const io::JsonObject& object, const Json& given, Key key) {
  const auto is_side = [](const Json& side) {
    return side.is_number_integer() &&
           (side == 0 || (side >= kLeastPictureSide && side <= kMostPictureSide));
  };
  if (!given.is_array() || given.size() != 2 || !std::ranges::all_of(given, is_side))
    object.fail(key, fmt::format("must be two numbers of pixels, from {} to {}, or 0",
                                 kLeastPictureSide, kMostPictureSide));
  return {given[0].get<int>(), given[1].get<int>()};
}

void add_film_rows(ViewRows& rows) {
  const auto film = [](auto member) { return at(&ViewFlags::film, member); };
  rows.option({"film", "time|h|turn|method",
               "writes a film and exits: over --time, over h, of a full turn, or of the method "
               "slice by slice and sample by sample; OUT_%04d.png, OUT.mp4 or OUT.webm beside the "
               "inputs names it; videos need ffmpeg; needs no display"},
              film(&FilmOptions::kind), OneOf<FilmKind>(kFilmKinds))
      .needing({kFilmed});
  rows.option({"frames", "N", "number of pictures of the film",
               fmt::format("{}", FilmOptions::kUsualFrames)},
              film(&FilmOptions::frames), WholeNumber<int>(1, kMostFrames));
  rows.option({"film-range", "FIRST,LAST", "the film's first and last h, or time",
               "a quarter of h to twice h; all times"},
              film(&FilmOptions::range), parse_range)
      .needing({{[](const ViewOptions& o) {
                   return o.film.frames > 0 &&
                          (o.film.kind == FilmKind::time || o.film.kind == FilmKind::h);
                 },
                 "without --film time or h"}});
  rows.option({"fps", "F", "pictures a second of a video", "25"}, film(&FilmOptions::rate),
              parse_rate)
      .needing({{[](const ViewOptions& o) { return is_video_name(o.film.name); },
                 "without a film that ends in .mp4 or .webm"}});
  ViewField& turntable = rows.option({"turntable", "N", "the same as --film turn --frames N"},
                                     film(&FilmOptions::frames), WholeNumber<int>(1, kMostFrames));
  turntable.needs = {kFilmed};
  turntable.first = true;
}

void add_written_rows(ViewRows& rows) {
  constexpr FlagNeed kScreenshot{[](const ViewOptions& o) { return !o.screenshot.empty(); },
                                 "without --screenshot", "add --screenshot, or drop it"};
  rows.option({"screenshot", "FILE.png",
               "writes the picture and exits; needs no display. Axes and letters of .svg and .pdf "
               "are shapes, and the whole of the method with --view method"},
              at(&ViewFlags::screenshot), as_typed)
      .first = true;
  add_film_rows(rows);
  rows.option({"size", "WxH", "size of the pictures or the window, in pixels", "1280x800"},
              at(&ViewFlags::size), parse_picture_size);
  rows.option({"scale", "S", "scale of text and lines, 2 for pictures of twice as many pixels",
               "the display's, 1 without one"},
              at(&ViewFlags::scale), NumberWithin{0.5, 8});
  rows.option({"reference", "FILE.png",
               "compares the screenshot with this picture, and fails if they differ"},
              at(&ViewFlags::reference), as_typed)
      .needing({kScreenshot});
  rows.option({"threshold", "T", "largest mean difference of a channel of 0..255", "1"},
              at(&ViewFlags::threshold), RealNumber(0))
      .needing({{[](const ViewOptions& o) { return !o.reference.empty(); }, "without --reference",
                 "add --reference, or drop it"}});
  rows.option({"copy", "", "copies the screenshot to the clipboard too, by xclip or wl-copy"},
              at(&ViewFlags::copy), turned_on)
      .needing({kScreenshot});
  rows.option({"panels", "", "shows the panels in pictures too"}, at(&ViewFlags::panels), turned_on)
      .needing({{[](const ViewOptions& o) { return o.headless(); },
                 "on a window, which always has them"}});
  rows.option({"benchmark-frames", "N",
               "prints times of frames and densities as JSON and exits; needs no display"},
              at(&ViewFlags::benchmark_frames), parse_count);
}

void add_division_rows(ViewRows& rows) {
  constexpr double kLeast = Division::kLeastMethod, kMost = Division::kMostMethod;
  rows.value({"split", "SHARE", "share of the method in the width of both views, from 0.1 to 0.9",
              "0.4"},
             "division/method", at(&ViewState::division, &Division::method),
             NumberWithin{kLeast, kMost}, ReadPlain{kLeast, kMost})
      .needing({{[](const ViewOptions& o) {
                   return !o.headless() || o.state.layout == ViewLayout::both;
                 },
                 "without --view both"}});
  rows.flag({"panel-width", "PIXELS", "width of the panels at scale 1; 0 hides them", "320"},
            [](ViewFlags& flags, const std::string& given) {
              take_panel_width(given, flags.state.division);
            })
      .needing({{[](const ViewOptions& o) { return !o.headless() || o.panels; },
                 "on a picture without --panels", "add --panels"}});
  rows.kept("division/panels", at(&ViewState::division, &Division::panels),
            ReadPlain{Division::kLeastPanels, Division::kMostPanels});
  rows.kept("division/panels_shown", at(&ViewState::division, &Division::panels_shown));
}

void add_sharing_rows(ViewRows& rows) {
  rows.on({"link", "",
           "gives all windows with --link one camera and one scale; several files are as many "
           "windows"},
          "linked", at(&ViewState::linked))
      .drawn({"linked", "Camera, colours, axis and levels are those of all linked windows",
              "with other windows"})
      .known_as("same camera scale synchronise")
      .needing({{[](const ViewOptions& o) { return !o.headless(); }, "on a picture"}});
  rows.control({"share", "Copies an address of the page of skde-serve that shows this view; key U"},
               "share")
      .known_as("link address URL browser page copy");
  ViewField& service = rows.value(
      {.name = "share",
       .value = "URL",
       .help = "the service whose page the control \"share\" names; with --screenshot, prints the "
               "address that shows the same view there, once the file is on its page",
       .by_default = kUsualService,
       .bare = kUsualService},
      "service", at(&ViewState::service), as_typed);
  service.drawn({"service", "Where skde-serve listens, for \"share\"", kUsualService})
      .known_as("server host");
  service.set = [set = service.set](ViewFlags& flags, const std::string& given) {
    set(flags, given);
    flags.share = true;
  };
  service.needs = {{[](const ViewOptions& o) { return !o.headless() || !o.screenshot.empty(); },
                    "without --screenshot", "add --screenshot, or drop it"}};
}

void add_appearance_rows(ViewRows& rows) {
  rows.control({"save picture", "Writes the views without panels; keys F12 and Shift+F12"},
               "screenshot")
      .put_ahead("write png white print");
  const auto seen = [](auto member) { return at(&ViewState::appearance, member); };
  rows.word({"theme", "", "colours of panels and ground"}, "appearance/theme",
            seen(&Appearance::theme), kThemes)
      .drawn({"theme", "Colours of panels and ground"})
      .known_as("dark light");
  rows.word({"ground", "", "ground of pictures that are written"}, "appearance/ground",
            seen(&Appearance::ground), kGrounds)
      .drawn(
          {.name = "ground", .tip = "Of pictures that are written; light is white", .menu = true})
      .put_ahead("white background transparent");
  rows.value({"title", "TEXT", "title above the views"}, "appearance/title",
             seen(&Appearance::title), as_typed)
      .drawn({"title", "Above the views"});
  rows.flag({"decorations", "NAME,...",
             "what stands on the picture: axes, bar, mass, triad; or all, or none", "all"},
            [](ViewFlags& flags, const std::string& given) {
              take_decorations(given, flags.state.appearance);
            });
  rows.kept("appearance/axes", seen(&Appearance::axes))
      .drawn({"decorations", "What stands on the picture: box, ticks and captions", "axes"})
      .known_as("ticks box");
  rows.kept("appearance/bar", seen(&Appearance::bar))
      .drawn({nullptr, "The bar of colours on the picture", "colour bar"})
      .known_as("decorations legend");
  rows.kept("appearance/mass", seen(&Appearance::mass))
      .drawn({"", "Share of the mass in the box, on the picture", "mass"})
      .known_as("decorations");
  rows.kept("appearance/triad", seen(&Appearance::triad))
      .drawn({nullptr, "Directions of the axes, on the picture", "triad"})
      .known_as("decorations");
  rows.word({"picture-format", "", "format of the pictures that F12 writes"}, "appearance/format",
            seen(&Appearance::format), kPictureFormats)
      .drawn({"format", "In SVG and PDF axes and letters are shapes"})
      .known_as("png svg pdf");
  ViewField& size = rows.value(
      {"picture-size", "WxH", "their size, in pixels", "that of the views"}, "appearance/size",
      seen(&Appearance::size), parse_picture_size, read_by(picture_size_from));
  size.drawn({"picture size", "Width and height without panels, such as 960x720", "as the views"});
  size.print = [](const ViewState& state) {
    const auto& [width, height] = state.appearance.size;
    return width + height > 0 ? fmt::format("{}x{}", width, height) : "";
  };
  size.choose = [](ViewState& state, const std::string& text) {
    state.appearance.size = text.empty() ? std::array<int, 2>{} : parse_picture_size(text);
  };
}

}  // namespace

void add_picture_rows(ViewRows& rows) {
  rows.group("Pictures");
  rows.in(Tab::picture);
  add_written_rows(rows);
  add_division_rows(rows);
  add_appearance_rows(rows);
  add_sharing_rows(rows);
  rows.group("Streams");
  rows.option({"window", "N",
               "standard input, named as -, is an endless stream: shows the density of its last N "
               "samples; needs --bounds and a --bandwidth of lengths"},
              at(&ViewFlags::stream, &WindowSpec::window), WholeNumber(1));
  rows.option({"every", "N", "computes a density after every N samples of the stream",
               "a tenth of --window"},
              at(&ViewFlags::stream, &WindowSpec::every), WholeNumber(1))
      .needing({{[](const ViewOptions& o) { return o.window.has_value(); }, "without --window N"}});
  rows.group("Program");
  rows.option({"no-interop", "", "copies densities through host memory"},
              at(&ViewFlags::no_interop), turned_on);
  rows.option({"debug-gl", "", "prints errors of the OpenGL driver at exit"},
              at(&ViewFlags::debug_gl), turned_on);
  rows.option({.name = "version", .help = "version, compiler, CUDA", .letter = 'V'},
              at(&ViewFlags::version), turned_on);
}

}  // namespace skde::view
