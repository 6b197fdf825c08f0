#include "viewer/session/view_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cli/documents/document.hpp"
#include "cli/exit_code.hpp"
#include "cli/options/axis_flips.hpp"
#include "cli/options/density_options.hpp"
#include "cli/output_path.hpp"
#include "core/report/error.hpp"
#include "core/report/number_list.hpp"
#include "io/points/columns/width_columns.hpp"
#include "io/volumes/volume_formats.hpp"
#include "viewer/layers/volume/transfer_function_file.hpp"
#include "viewer/session/frame_pattern.hpp"
#include "viewer/session/last_look.hpp"
#include "viewer/session/options/topic_options.hpp"
#include "viewer/session/view_state_file.hpp"

namespace skde::view {
namespace {

using cli::OptionTable;
using cli::ParsedFlags;

/// The fields that flags are parsed into. The density's part has the form that skde density uses.
struct Fields {
  ViewOptions options;
  DensityOptions density;
  WindowSpec window;
  QuestionFlags questions;
  std::string state_file, transfer_file;
  bool no_interop = false, last_look = false;
};

void add_view_flags(OptionTable& table, Fields& fields) {
  ViewState& state = fields.options.state;
  table.group("View");
  table.value({.name = "view",
               .value = "volume|method|both|slices",
               .help = "the volume, the method shown on one sample, both side by side, or three "
                       "orthogonal slices beside the volume",
               .by_default = "volume"},
              state.layout, OneOf<ViewLayout>(kViewLayouts));
  add_method_flags(table, state);
  table.value({.name = "camera",
               .value = "AZ,EL,ZOOM",
               .help = "camera: degrees around, degrees above the horizon, and a zoom factor",
               .by_default = "-60,25,1"},
              state.camera, [&state](const std::string& given) {
                parse_camera(given, state.camera);
                return state.camera;
              });
  table.flag({.name = "orthographic",
              .help = "draws the volume as from far away: equal lengths look equal"},
             state.camera.orthographic);
  add_proportion_flag(table, state);
  cli::add_flip_flag(table, state.flipped);
  add_point_flags(table, state);
  add_ellipsoid_flags(table, fields.options);
  add_question_flags(table, state, fields.questions);
  add_time_flags(table, state);
  add_section_flags(table, fields.options);
  add_selection_flags(table, fields.options);
  table.group("Look of the volume");
  table.value({.name = "mode",
               .value = "composite|maximum|isosurface",
               .help = "how values along a ray become a colour",
               .by_default = "composite"},
              state.mode, OneOf<RenderMode>(kRenderModes));
  table.flag({.name = "shading", .help = "shading by the density's gradient (composite mode)"},
             state.gradient_shading);
  add_surface_flags(table, state);
  add_clip_flags(table, state.clip);
  table.value({.name = "transfer",
               .value = "FILE",
               .help = "file of colours and opacities, as the editor saves them"},
              fields.transfer_file);
  table.value({.name = "state",
               .value = "FILE",
               .help = "file with the full state of another session; other flags override it"},
              fields.state_file);
  table.flag({.name = "last-look", .help = "shows the files with the look of the last session"},
             fields.last_look);
}

OptionTable make_table(Fields& fields) {
  OptionTable table("skde-view", "[FILE...] [FLAGS]",
                    "Shows the density of point clouds (treated as one cloud) or a volume "
                    "interactively while the bandwidth changes, and the method that computes it.");
  add_view_flags(table, fields);
  add_picture_flags(table, fields.options);
  add_division_flags(table, fields.options.state);
  add_appearance_flags(table, fields.options.state.appearance);
  cli::add_density_fields(table, fields.density, target::kGrid);
  add_stream_flags(table, fields.window);
  table.group("Program");
  table.flag({.name = "no-interop", .help = "copies densities through host memory"},
             fields.no_interop);
  table.flag({.name = "debug-gl", .help = "prints errors of the OpenGL driver at exit"},
             fields.options.debug_gl);
  table.flag({.name = "version", .help = "version, compiler, CUDA", .letter = 'V'},
             fields.options.version);
  table.most_used({"view", "mode", "state", "screenshot", "turntable", "columns", "weights",
                   "kernel", "bandwidth", "covariance"});
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

void take_density(DensityOptions density, const ParsedFlags& flags, ViewState& state) {
  density.files.paths = state.cloud.paths;
  keep_density(std::move(density), state);
  // A part of the grid that a flag names replaces what the state file says of the grid.
  if (flags.has("bounds") || flags.has("dims") || flags.has("spacing")) state.density.like.reset();
  if (flags.has("dims") && !flags.has("spacing")) state.density.grid.spacing.reset();
  if (flags.has("spacing") && !flags.has("dims")) state.density.grid.dims.reset();
}

/// Refuses flags that have no effect on an opened volume, which has no samples.
void check_volume(const ParsedFlags& flags, const ViewState& state) {
  const std::string volume = io::first_volume(state.cloud.paths, state.cloud.open);
  if (volume.empty()) return;
  if (state.cloud.paths.size() > 1)
    cli::usage_error(fmt::format("{}: is a volume; open it alone, without other files", volume));
  DensityOptions unused;
  OptionTable density("", "", "");
  cli::add_density_fields(density, unused, target::kGrid);
  const auto refuse = [&](std::string_view name) {
    if (flags.has(name))
      cli::usage_error(fmt::format(
          "--{} has no effect on {}, a volume without its samples; drop it", name, volume));
  };
  std::ranges::for_each(density.names(), refuse);
  std::ranges::for_each(kMethodFlags, refuse);
  for (const std::string_view name : {"score", "time", "select"}) refuse(name);
  std::ranges::for_each(kPointFlags, refuse);
  if (flags.has("view") && shows_method(state.layout))
    cli::usage_error(fmt::format(
        "--view must be volume or slices for {}, a volume without its samples", volume));
}

/// Refuses flags of a half that the picture does not show, or of another mode. Windows accept them
/// as starting values, because the user may switch to the other half or mode.
void check_shown(const ParsedFlags& flags, const ViewOptions& options) {
  const ViewState& state = options.state;
  const auto refuse = [&](std::initializer_list<std::string_view> names, std::string_view why) {
    for (const std::string_view name : names)
      if (flags.has(name))
        cli::usage_error(fmt::format("--{} has no effect {}; drop it", name, why));
  };
  if (!shows_method(state.layout))
    for (const std::string_view name : kMethodFlags)
      refuse({name}, "without --view both or method");
  if (state.layout == ViewLayout::method)
    refuse({"mode", "shading", "isovalue", "mass", "transfer", "camera", "clip-box", "clip-plane",
            "slices", "slice-planes", "slice-samples", "slice-smooth"},
           "with --view method");
  if (state.layout == ViewLayout::method)
    for (const char* const name : kPointFlags) refuse({name}, "with --view method");
  if (state.mode != RenderMode::isosurface)
    refuse({"isovalue", "mass"}, "without --mode isosurface");
  if (state.mode != RenderMode::composite) refuse({"shading"}, "without --mode composite");
}

/// Applies the flags to an initial state.
ViewOptions parse_over(const ViewState& base, std::span<const std::string> arguments) {
  Fields fields;
  ViewOptions& options = fields.options;
  options.state = base;
  fields.density = density_of(base);
  const OptionTable table = make_table(fields);
  if (const auto wanted = cli::wanted_document(table.describe(), arguments)) {
    options.help_page = *wanted;
    return options;
  }
  const ParsedFlags flags = table.parse(arguments);
  if (flags.help_wanted) options.help_page = table.help(flags);
  if (flags.help_wanted || options.version) return options;
  const std::vector<std::string> inputs = take_film(flags, options.film);
  if (!inputs.empty()) {
    options.state.cloud.paths = inputs;
    fields.density.files.paths = inputs;
    // A state with splats or a mixture already says which kernel they are shown with.
    if (!io::are_gaussians(base.cloud.columns.widths))
      cli::assume_widths(flags, fields.density.files, fields.density.request);
  }
  cli::complete_density_options(flags, fields.density);
  if (flags.has("memory-limit"))
    cli::usage_error(
        "--memory-limit has no effect here, because all samples stay in memory; drop it");
  take_density(fields.density, flags, options.state);
  options.sample_given = flags.has("sample");
  options.slice_given = flags.has("slice");
  take_surfaces(flags, base.mode, options.state);
  take_sections(flags, options);
  take_points(flags, options.state);
  if (flags.has("compare")) take_comparison(fields.questions.compare, options.state);
  options.interop = !fields.no_interop;
  if (!fields.transfer_file.empty()) {
    options.state.transfer = load_transfer_function(fields.transfer_file);
    options.state.axis_follows_density = false;
  }
  take_window(flags, fields.window, options);
  check_volume(flags, options.state);
  if (!io::first_volume(options.state.cloud.paths, options.state.cloud.open).empty())
    show_volume(options.state);
  check_pictures(flags, options);
  check_ellipsoid_flags(flags, options);
  check_question_flags(flags, options);
  check_film_flags(flags, options);
  take_division(flags, options);
  check_selection_flags(flags, options);
  if (options.headless())
    check_shown(flags, options);
  else if (options.panels)
    cli::usage_error("--panels has no effect on a window, which always has them; drop it");
  return options;
}

/// The file of --state, if any, and whether inputs are named.
struct Beginning {
  std::string state_file;
  bool inputs = false, headless = false, last_look = false;
};

Beginning look_ahead(std::span<const std::string> arguments) {
  Fields fields;
  const ParsedFlags flags = make_table(fields).parse(arguments);
  return {fields.state_file, !flags.positionals.empty(), fields.options.headless(),
          fields.last_look};
}

/// Returns the look of the last session for other files.
ViewState last_look(const Beginning& beginning, const std::optional<ViewState>& recent) {
  if (!beginning.state_file.empty())
    cli::usage_error("--last-look and --state contradict each other; drop one of them");
  if (!beginning.inputs)
    cli::usage_error("--last-look has no effect without files; name files of points or a volume");
  if (!recent) cli::usage_error("--last-look: there is no look of an earlier session; drop it");
  ViewState look;
  adopt_look(*recent, look);
  return look;
}

}  // namespace

ViewOptions parse_view_options(std::span<const std::string> arguments,
                               const std::optional<ViewState>& recent) {
  const Beginning beginning = look_ahead(arguments);
  if (beginning.last_look) return parse_over(last_look(beginning, recent), arguments);
  if (!beginning.state_file.empty())
    return parse_over(load_view_state(beginning.state_file), arguments);
  const ViewState base;
  if (!recent || beginning.headless || beginning.inputs) return parse_over(base, arguments);
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

}  // namespace skde::view
