#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "cli/exit_code.hpp"
#include "cli/output_path.hpp"
#include "core/report/number_list.hpp"
#include "viewer/session/frame_pattern.hpp"
#include "viewer/session/options/topic_options.hpp"
#include "viewer/session/view_options.hpp"

namespace skde::view {
namespace {

constexpr int kUsualFrames = 120, kMostFrames = 1000000;
constexpr double kMostRate = 240;

bool is_video(const std::string& name) { return name.ends_with(".mp4") || name.ends_with(".webm"); }

double finite_number(const std::string& given) {
  const std::vector<double> v = parse_finite_list(given, 1);
  if (v.empty()) cli::usage_error(fmt::format("must be a number; got '{}'", given));
  return v[0];
}

std::array<double, 2> film_range(const std::string& given) {
  const std::vector<double> v = parse_finite_list(given, 2);
  if (v.empty()) cli::usage_error(fmt::format("must be two numbers, FIRST,LAST; got '{}'", given));
  return {v[0], v[1]};
}

}  // namespace

void add_film_flags(cli::OptionTable& table, FilmOptions& film) {
  table.value({.name = "film",
               .value = "time|h|turn|method",
               .help = "writes a film and exits: over --time, over h, of a full turn, or of the "
                       "method slice by slice and sample by sample; OUT_%04d.png, OUT.mp4 or "
                       "OUT.webm beside the inputs names it; videos need "
                       "ffmpeg; needs no display"},
              film.kind, OneOf<FilmKind>(kFilmKinds));
  table.value({.name = "frames",
               .value = "N",
               .help = "number of pictures of the film",
               .by_default = fmt::format("{}", kUsualFrames)},
              film.frames, WholeNumber<int>(1, kMostFrames));
  table.value({.name = "film-range",
               .value = "FIRST,LAST",
               .help = "the film's first and last h, or time",
               .by_default = "a quarter of h to twice h; all times"},
              film.range, film_range);
  table.value(
      {.name = "fps", .value = "F", .help = "pictures a second of a video", .by_default = "25"},
      film.rate, [](const std::string& given) {
        const double rate = RealNumber(0)(given);
        if (!(rate > 0) || rate > kMostRate)
          cli::usage_error(
              fmt::format("must be above 0 and at most {}; got '{}'", kMostRate, given));
        return rate;
      });
  table.value({.name = "turntable", .value = "N", .help = "the same as --film turn --frames N"},
              film.frames, WholeNumber<int>(1, kMostFrames));
}

void add_time_flags(cli::OptionTable& table, ViewState& state) {
  table.value({.name = "time",
               .value = "COLUMN",
               .help = "shows the rows whose time, the value of this column, lies in a window; the "
                       "box is that of all rows"},
              state.time.column);
  table.value({.name = "time-at",
               .value = "T",
               .help = "where the window begins",
               .by_default = "the least time"},
              state.time.at, finite_number);
  table.value({.name = "time-window",
               .value = "W",
               .help = "length of the window",
               .by_default = "a tenth of the range of all times"},
              state.time.width, [](const std::string& given) {
                const double width = finite_number(given);
                if (width < 0) cli::usage_error(fmt::format("must be at least 0; got '{}'", given));
                return width;
              });
}

std::vector<std::string> take_film(const cli::ParsedFlags& flags, FilmOptions& film) {
  std::vector<std::string> inputs = flags.positionals;
  const bool turntable = flags.has("turntable");
  if (turntable && (flags.has("film") || flags.has("frames")))
    cli::usage_error("--turntable and --film contradict each other; drop one of them");
  const bool wanted = turntable || flags.has("film");
  if (wanted && film.frames == 0) film.frames = kUsualFrames;
  if (!wanted && flags.has("frames"))
    cli::usage_error("--frames has no effect without --film; drop it");
  const auto is_picture = [](const std::string& name) {
    return name.ends_with(".png") || is_video(name);
  };
  const auto picture = std::ranges::find_if(inputs, is_picture);
  if (picture != inputs.end() && !wanted)
    cli::usage_error(fmt::format(
        "'{}' is a picture, not a cloud or a volume; use --screenshot to write one, or --film",
        *picture));
  if (!wanted) return inputs;
  const std::string_view flag = turntable ? "turntable" : "film";
  if (picture == inputs.end() || !(is_frame_pattern(*picture) || is_video(*picture)))
    cli::usage_error(fmt::format(
        "--{} needs a file name with one %d, such as out_%04d.png, or one that ends in .mp4 or "
        ".webm",
        flag));
  film.name = *picture;
  inputs.erase(picture);
  return inputs;
}

void check_film_flags(const cli::ParsedFlags& flags, const ViewOptions& options) {
  const FilmOptions& film = options.film;
  for (const char* const name : {"time-at", "time-window"})
    if (flags.has(name) && options.state.time.column.empty())
      cli::usage_error(fmt::format("--{} has no effect without --time COLUMN; drop it", name));
  if (options.window && !options.state.time.column.empty())
    cli::usage_error("--time does not work on a stream; save it to a file, and open the file");
  const bool varies = film.frames > 0 && (film.kind == FilmKind::time || film.kind == FilmKind::h);
  if (flags.has("film-range") && !varies)
    cli::usage_error("--film-range has no effect without --film time or h; drop it");
  if (flags.has("fps") && !is_video(film.name))
    cli::usage_error("--fps has no effect without a film that ends in .mp4 or .webm; drop it");
  if (film.frames == 0) return;
  const std::string_view flag = flags.has("turntable") ? "turntable" : "film";
  if (!options.screenshot.empty())
    cli::usage_error(
        fmt::format("--screenshot and --{} contradict each other; drop one of them", flag));
  if (film.kind == FilmKind::method && !shows_method(options.state.layout))
    cli::usage_error("--film method needs --view method or both");
  if (film.kind != FilmKind::method && options.state.layout == ViewLayout::method)
    cli::usage_error(
        fmt::format("--{} has no effect with --view method; drop it, or say --film method", flag));
  if (film.kind == FilmKind::time && options.state.time.column.empty())
    cli::usage_error("--film time needs --time COLUMN");
  if (film.kind == FilmKind::h && film.range && !((*film.range)[0] > 0 && (*film.range)[1] > 0))
    cli::usage_error("--film-range of a film over h needs two numbers above 0");
  cli::require_writable(is_video(film.name) ? film.name : frame_path(film.name, 0),
                        fmt::format("--{}", flag));
}

void add_stream_flags(cli::OptionTable& table, WindowSpec& window) {
  table.group("Streams");
  table.value({.name = "window",
               .value = "N",
               .help = "standard input, named as -, is an endless stream: shows the density of its "
                       "last N samples; needs --bounds and a --bandwidth of lengths"},
              window.window, WholeNumber(1));
  table.value({.name = "every",
               .value = "N",
               .help = "computes a density after every N samples of the stream",
               .by_default = "a tenth of --window"},
              window.every, WholeNumber(1));
}

void take_window(const cli::ParsedFlags& flags, const WindowSpec& window, ViewOptions& options) {
  const auto& paths = options.state.cloud.paths;
  const bool piped = std::ranges::find(paths, "-") != paths.end();
  if (flags.has("every") && !flags.has("window"))
    cli::usage_error("--every has no effect without --window N; drop it");
  if (flags.has("window") && (!piped || paths.size() > 1))
    cli::usage_error("--window needs standard input as the only input; name it as -");
  if (!flags.has("window")) return;  // standard input is read to its end, like a file
  options.window = window;
  if (window.every == 0) options.window->every = std::max<std::uint64_t>(1, window.window / 10);
  show_volume(options.state);
}

}  // namespace skde::view
