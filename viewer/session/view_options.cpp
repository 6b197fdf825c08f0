#include "viewer/session/view_options.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <charconv>
#include <variant>

#include "cli/documents/document.hpp"
#include "cli/exit_code.hpp"
#include "cli/options/density_options.hpp"
#include "cli/outputs.hpp"
#include "core/report/error.hpp"
#include "io/points/columns/width_columns.hpp"
#include "io/volumes/volume_formats.hpp"
#include "pictures/layered_document.hpp"
#include "viewer/layers/volume/transfer_function.hpp"
#include "viewer/session/column_choice.hpp"
#include "viewer/session/view_fields.hpp"
#include "viewer/session/view_state_file.hpp"

namespace skde::view {
namespace {

using cli::OptionTable;
using cli::ParsedFlags;
using cli::usage_error;

OptionTable make_table(ViewFlags& flags) {
  OptionTable table("skde-view", "[FILE...] [FLAGS]",
                    "Shows the density of point clouds (treated as one cloud) or a volume "
                    "interactively while the bandwidth changes, and the method that computes it.");
  std::vector<std::string_view> first{"columns", "weights", "kernel", "bandwidth", "covariance"};
  std::string_view group;
  for (const ViewField& field : view_fields()) {
    if (!field.set) continue;
    if (field.group != group && field.group == "Streams")
      cli::add_density_fields(table, flags.density, target::kGrid);
    if (field.group != group) table.group(std::string(group = field.group));
    table.apply(field.text,
                [&field, &flags](const std::string& given) { field.set(flags, given); });
    if (field.first) first.push_back(field.text.name);
  }
  table.most_used(std::move(first));
  table.example("skde-view points.ply", "a window with an automatic bandwidth");
  table.example(
      "skde-view quakes.csv --columns long,lat,depth --screenshot quakes.png --size 1920x1080",
      "a picture without a window");
  table.example(
      "skde-view forest.ply --covariance iso --bandwidth 1.5 --turntable 120 turn_%04d.png",
      "the pictures of a film");
  table.example("skde-view density.vti --view volume --mode maximum", "a volume of skde density");
  return table;
}

/// Takes the name of the film from the positional arguments and returns the others, the inputs.
std::vector<std::string> take_film(const ParsedFlags& flags, FilmOptions& film) {
  std::vector<std::string> inputs = flags.positionals;
  const bool turntable = flags.has("turntable");
  if (turntable && (flags.has("film") || flags.has("frames")))
    usage_error("--turntable and --film contradict each other; drop one of them");
  const bool wanted = turntable || flags.has("film");
  if (wanted && film.frames == 0) film.frames = FilmOptions::kUsualFrames;
  if (!wanted && flags.has("frames")) usage_error("--frames has no effect without --film; drop it");
  const auto picture = std::ranges::find_if(inputs, [](const std::string& name) {
    return name.ends_with(".png") || is_video_name(name);
  });
  if (picture != inputs.end() && !wanted)
    usage_error(fmt::format(
        "'{}' is a picture, not a cloud or a volume; use --screenshot to write one, or --film",
        *picture));
  if (!wanted) return inputs;
  if (picture == inputs.end() || !(is_frame_pattern(*picture) || is_video_name(*picture)))
    usage_error(fmt::format(
        "--{} needs a file name with one %d, such as out_%04d.png, or one that ends in .mp4 or "
        ".webm",
        turntable ? "turntable" : "film"));
  film.name = *picture;
  inputs.erase(picture);
  return inputs;
}

void take_density(DensityOptions density, const ParsedFlags& flags, ViewState& state) {
  density.files.paths = state.cloud.paths;
  keep_density(std::move(density), state);
  // A part of the grid that a flag names replaces what the state file says of the grid.
  if (flags.has("bounds") || flags.has("dims") || flags.has("spacing")) state.density.like.reset();
  if (flags.has("dims") && !flags.has("spacing")) state.density.grid.spacing.reset();
  if (flags.has("spacing") && !flags.has("dims")) state.density.grid.dims.reset();
}

/// Takes standard input as a stream if a flag says so; else it is read to its end, like a file.
void take_stream(const ParsedFlags& given, ViewFlags& flags) {
  if (!given.has("window")) return;
  if (flags.state.cloud.paths != std::vector<std::string>{"-"})
    usage_error("--window needs standard input as the only input; name it as -");
  flags.window = flags.stream;
  if (flags.stream.every == 0)
    flags.window->every = std::max<std::uint64_t>(1, flags.stream.window / 10);
  show_volume(flags.state);
}

/// Sets what follows from several flags over a state whose mode was `before`.
void take_look(const ParsedFlags& given, RenderMode before, ViewFlags& flags) {
  ViewState& state = flags.state;
  flags.sample_given = given.has("sample");
  flags.slice_given = given.has("slice");
  flags.camera_given = given.has("camera") || !state.camera.looks_as({});
  if (given.has("isovalue") && given.has("mass"))
    usage_error("--isovalue and --mass contradict each other; drop one of them");
  if (given.has("isovalue"))
    state.masses.clear();
  else if (state.mode != before)
    start_mode(state);
  if (given.has("slices") && !given.has("slice-planes"))
    state.sections.shown = SectionsShown::within;
  if (given.has("compare")) take_comparison(flags.compare, state);
  flags.interop = !flags.no_interop;
  if (flags.transfer_file.empty()) return;
  state.transfer = load_transfer_function(flags.transfer_file);
  state.axis_follows_density = false;
}

/// Refuses flags that have no effect on an opened volume, which has no samples.
void check_volume(const ParsedFlags& flags, const ViewState& state) {
  const std::string volume = io::first_volume(state.cloud.paths, state.cloud.open);
  if (volume.empty()) return;
  if (state.cloud.paths.size() > 1)
    usage_error(fmt::format("{}: is a volume; open it alone, without other files", volume));
  const auto refuse = [&](std::string_view name) {
    if (flags.has(name))
      usage_error(fmt::format("--{} has no effect on {}, a volume without its samples; drop it",
                              name, volume));
  };
  for (const DensityField& field : density_fields())
    if ((field.targets & target::kGrid) != 0) refuse(field.text.name);
  for (const ViewField& field : view_fields())
    if (field.needs_samples) refuse(field.text.name);
  if (flags.has("view") && shows_method(state.layout))
    usage_error(fmt::format("--view must be volume or slices for {}, a volume without its samples",
                            volume));
}

/// Refuses paths of pictures that cannot be written, and flags that do not go with them.
void check_pictures(const ParsedFlags& flags, const ViewOptions& options) {
  for (const auto& [name, other] : {std::pair{"picture-format", "the file's name says the format"},
                                    std::pair{"picture-size", "--size is the size"}})
    if (options.headless() && flags.has(name))
      usage_error(fmt::format("--{} is for F12 in a window; here {}; drop it", name, other));
  if (options.headless() && options.state.cloud.paths.empty())
    usage_error("no input is given: name files of points, or a volume; see 'skde-view --help'");
  if (options.screenshot.empty()) return;
  std::vector<std::string> read = options.state.cloud.paths;
  if (!options.reference.empty()) read.push_back(options.reference);
  const bool document = is_document_name(options.screenshot);
  if (!document && !options.screenshot.ends_with(".png"))
    usage_error(
        fmt::format("--screenshot must end in .png, .svg or .pdf; got '{}'", options.screenshot));
  if (document && (options.panels || !options.reference.empty()))
    usage_error("--panels and --reference need a --screenshot that ends in .png");
  cli::require_not_read(options.screenshot, "--screenshot", read);
  cli::require_writable(options.screenshot, "--screenshot");
}

void check_film(const ParsedFlags& flags, const ViewOptions& options) {
  const FilmOptions& film = options.film;
  const ViewState& state = options.state;
  if (film.frames == 0) return;
  const std::string flag = flags.has("turntable") ? "--turntable" : "--film";
  if (!options.screenshot.empty())
    usage_error(fmt::format("--screenshot and {} contradict each other; drop one of them", flag));
  if (film.kind == FilmKind::method && !shows_method(state.layout))
    usage_error("--film method needs --view method or both");
  if (film.kind == FilmKind::time && state.time.column.empty())
    usage_error("--film time needs --time COLUMN");
  if (film.kind == FilmKind::h && film.range && !((*film.range)[0] > 0 && (*film.range)[1] > 0))
    usage_error("--film-range of a film over h needs two numbers above 0");
  cli::require_writable(is_video_name(film.name) ? film.name : frame_path(film.name, 0), flag);
}

/// Refuses what a stream, the samples or their bandwidth do not have.
void check_questions(const ParsedFlags& flags, const ViewOptions& options) {
  const ViewState& state = options.state;
  if (options.window && !state.compare.with.empty())
    usage_error("--compare does not work on a stream; save it to a file, and open the file");
  if (options.window && !state.time.column.empty())
    usage_error("--time does not work on a stream; save it to a file, and open the file");
  if (flags.has("score") && state.score != ScoreShown::off && !has_form(state.density.bandwidth))
    usage_error("--score needs a --bandwidth of one h or a rule, not lengths or a matrix");
  if (flags.has("ellipsoids") && options.headless() && state.ellipsoids != EllipsoidsShown::off &&
      !have_own_kernels(state.cloud.columns))
    usage_error(
        "--ellipsoids needs a mixture, splats, or samples with --widths; drop it, or fit a mixture "
        "with skde fit");
}

/// Refuses flags that have no effect. Windows accept some that are for another half or mode, as
/// starting values, because the user may switch to it.
void check_needs(const ParsedFlags& flags, const ViewOptions& options) {
  for (const ViewField& field : view_fields())
    for (const FlagNeed& need : field.needs) {
      if (!flags.has(field.text.name) || need.met(options)) continue;
      const std::string what = fmt::format("--{} has no effect {}", field.text.name, need.why);
      usage_error(what + "; " + need.mend);
    }
}

/// Leaves the first input, and returns the arguments of a window for each of the others.
std::vector<std::vector<std::string>> take_windows(std::span<const std::string> arguments,
                                                   std::vector<std::string>& inputs) {
  std::vector<std::string> flags(arguments.begin(), arguments.end());
  for (const std::string& input : inputs)
    if (const auto at = std::find(flags.rbegin(), flags.rend(), input); at != flags.rend())
      flags.erase(std::next(at).base());
  std::vector<std::vector<std::string>> windows;
  for (; inputs.size() > 1; inputs.pop_back()) {
    windows.push_back(flags);
    windows.back().push_back(inputs.back());
  }
  return windows;
}

/// Applies the flags to an initial state.
ViewOptions parse_over(const ViewState& base, std::span<const std::string> arguments) {
  ViewFlags flags;
  flags.state = base;
  flags.density = density_of(base);
  const OptionTable table = make_table(flags);
  const ParsedFlags given = table.parse(arguments);
  if (given.help_wanted) flags.help_page = table.help(given);
  if (given.help_wanted || flags.version) return flags;
  std::vector<std::string> inputs = take_film(given, flags.film);
  if (given.has("link")) flags.windows = take_windows(arguments, inputs);
  if (!inputs.empty()) {
    flags.state.cloud.paths = inputs;
    flags.density.files.paths = inputs;
    // A state with splats or a mixture already says which kernel they are shown with.
    if (!io::are_gaussians(base.cloud.columns.widths))
      cli::assume_widths(given, flags.density.files, flags.density.request);
  }
  cli::complete_density_options(given, flags.density);
  if (given.has("memory-limit"))
    usage_error("--memory-limit has no effect here, because all samples stay in memory; drop it");
  take_density(flags.density, given, flags.state);
  take_look(given, base.mode, flags);
  take_stream(given, flags);
  check_volume(given, flags.state);
  if (!io::first_volume(flags.state.cloud.paths, flags.state.cloud.open).empty())
    show_volume(flags.state);
  check_pictures(given, flags);
  check_questions(given, flags);
  check_needs(given, flags);
  check_film(given, flags);
  Division& division = flags.state.division;
  if (flags.headless() && given.has("panel-width") && !division.panels_shown)
    usage_error("--panels and --panel-width 0 contradict each other; drop one of them");
  if (flags.panels) division.panels_shown = true;
  return flags;
}

/// Returns the look of the last session for other files.
ViewState last_look(const ViewFlags& flags, bool inputs, const std::optional<ViewState>& recent) {
  if (!flags.state_file.empty())
    usage_error("--last-look and --state contradict each other; drop one of them");
  if (!inputs)
    usage_error("--last-look has no effect without files; name files of points or a volume");
  if (!recent) usage_error("--last-look: there is no look of an earlier session; drop it");
  ViewState look;
  adopt_look(*recent, look);
  return look;
}

}  // namespace

ViewOptions parse_view_options(std::span<const std::string> arguments,
                               const std::optional<ViewState>& recent) {
  ViewFlags ahead;
  const OptionTable table = make_table(ahead);
  if (auto wanted = cli::wanted_document(table.describe(), arguments)) {
    ahead.help_page = std::move(*wanted);
    return ahead;
  }
  const bool inputs = !table.parse(arguments).positionals.empty();
  if (ahead.last_look) return parse_over(last_look(ahead, inputs, recent), arguments);
  if (!ahead.state_file.empty()) return parse_over(load_view_state(ahead.state_file), arguments);
  const ViewState base;
  if (!recent || ahead.headless() || inputs) return parse_over(base, arguments);
  std::string complaint;
  try {
    return parse_over(*recent, arguments);
  } catch (const Error& error) {
    complaint = cli::error_text(error);  // for example, its engine is not available here: no reason
                                         // to stop
  }
  ViewOptions options = parse_over(base, arguments);  // throws again if the flags are at fault
  options.complaint = "the recent view is not used: " + complaint;
  return options;
}

namespace {

/// The parts of a pattern before and after its %d.
struct Parts {
  std::string_view before, after;
  int width = 0;
};

std::optional<Parts> split(std::string_view pattern) {
  constexpr int kWidest = 20;
  const auto percent = pattern.find('%');
  if (percent == pattern.npos || pattern.find('%', percent + 1) != pattern.npos) return {};
  const auto letter = pattern.find('d', percent);
  if (letter == pattern.npos) return {};
  Parts parts{pattern.substr(0, percent), pattern.substr(letter + 1)};
  const char *begin = pattern.data() + percent + 1, *end = pattern.data() + letter;
  if (begin == end) return parts;
  const auto [next, problem] = std::from_chars(begin, end, parts.width);
  if (problem != std::errc{} || next != end || *begin != '0' || parts.width > kWidest) return {};
  return parts;
}

}  // namespace

bool is_frame_pattern(std::string_view name) {
  return name.ends_with(".png") && split(name).has_value();
}

std::string frame_path(std::string_view pattern, int frame) {
  const Parts parts = split(pattern).value();
  return fmt::format("{}{:0{}}{}", parts.before, frame, parts.width, parts.after);
}

}  // namespace skde::view
