#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/option_table.hpp"
#include "estimate/stream/followed_stream.hpp"
#include "viewer/layers/space/clip.hpp"
#include "viewer/scene/appearance.hpp"
#include "viewer/scene/view_state.hpp"
#include "viewer/session/view_options.hpp"

/// The flags of skde-view, by topic; each topic has a source of its own.
namespace skde::view {

/// Returns the width and height, in pixels, of a text such as 1280x800. Throws Error(usage).
std::array<int, 2> parse_picture_size(const std::string& given);
/// Adds --theme, --ground, --title, --decorations, --picture-format and --picture-size.
void add_appearance_flags(cli::OptionTable& table, Appearance& appearance);
/// Adds --clip-box and --clip-plane.
void add_clip_flags(cli::OptionTable& table, Clip& clip);
/// Adds --split and --panel-width.
void add_division_flags(cli::OptionTable& table, ViewState& state);
/// Shows the panels if a picture without a window is to have them. Throws Error(usage) if one of
/// the flags has no effect on such a picture.
void take_division(const cli::ParsedFlags& flags, ViewOptions& options);
/// Adds --ellipsoids, --pick and --probe.
void add_ellipsoid_flags(cli::OptionTable& table, ViewOptions& options);
/// Refuses these flags where a picture does not show what they ask for. Throws Error(usage).
void check_ellipsoid_flags(const cli::ParsedFlags& flags, const ViewOptions& options);
/// Adds --film, --frames, --film-range, --fps and --turntable.
void add_film_flags(cli::OptionTable& table, FilmOptions& film);
/// Adds --time, --time-at and --time-window.
void add_time_flags(cli::OptionTable& table, ViewState& state);
/// Takes the name of the film from the positional arguments and returns the others, the inputs.
/// Throws Error(usage) if it is missing, or if there is a picture but no film.
std::vector<std::string> take_film(const cli::ParsedFlags& flags, FilmOptions& film);
/// Refuses flags of films and time that have no effect. Throws Error(usage), and Error(output) if a
/// film cannot be written to its path.
void check_film_flags(const cli::ParsedFlags& flags, const ViewOptions& options);
/// Parses AZIMUTH,ELEVATION,ZOOM. Throws Error(usage).
void parse_camera(const std::string& given, Camera& camera);
/// Adds the flags of the method: --sample, --slice, --full-slices, --apart, --method-camera
/// and --play.
void add_method_flags(cli::OptionTable& table, ViewState& state);
/// The names of these flags, which have no effect on a volume.
inline constexpr std::array<std::string_view, 6> kMethodFlags{
    "sample", "slice", "full-slices", "apart", "method-camera", "play"};

/// Adds the flags of pictures: which to write, their size, and what to compare them with.
void add_picture_flags(cli::OptionTable& table, ViewOptions& options);
/// Refuses those that contradict each other or have no effect, and paths that cannot be written.
void check_pictures(const cli::ParsedFlags& flags, const ViewOptions& options);
/// Adds --points and what tells how samples look.
void add_point_flags(cli::OptionTable& table, ViewState& state);
/// Shows samples if a flag tells how they look.
void take_points(const cli::ParsedFlags& flags, ViewState& state);
/// The flags that have no effect without samples.
inline constexpr std::array kPointFlags{"points", "points-color", "points-size", "points-size-by",
                                        "points-where"};
/// Adds --proportions: a word, or a factor for each axis.
void add_proportion_flag(cli::OptionTable& table, ViewState& state);
/// Texts of flags that are understood once all others are known.
struct QuestionFlags {
  std::string compare;
};

/// Adds --score, --compare and --compare-as.
void add_question_flags(cli::OptionTable& table, ViewState& state, QuestionFlags& fields);
/// Refuses these flags where they have no effect. Throws Error(usage).
void check_question_flags(const cli::ParsedFlags& flags, const ViewOptions& options);
/// Takes the text of --compare: what CompareState::with holds, or by=COLUMN:A,B. The latter leaves
/// the rows of category A in the density that is shown, and compares it with those of B. Throws
/// Error(usage) if categories are missing or a field cannot have the value.
void take_comparison(const std::string& text, ViewState& state);
/// Offers the most frequent values of a column of the state's files, and compares the first two.
/// Throws Error(usage) if there are fewer.
void choose_categories(const std::string& column, CategoryChoice& choice, ViewState& state);
/// Compares the rows of A with those of B.
void compare_categories(CategoryChoice& choice, ViewState& state);
/// Adds --slices, --slice-planes, --slice-samples and --slice-smooth.
void add_section_flags(cli::OptionTable& table, ViewOptions& options);
/// Shows slices that a flag names in the volume, unless other flags say how. Throws Error(usage)
/// if a picture would show none of what flags ask for.
void take_sections(const cli::ParsedFlags& flags, ViewOptions& options);
/// Adds --select and --select-only.
void add_selection_flags(cli::OptionTable& table, ViewOptions& options);
/// Refuses these flags where they have no effect. Throws Error(usage).
void check_selection_flags(const cli::ParsedFlags& flags, const ViewOptions& options);
/// Adds --window and --every.
void add_stream_flags(cli::OptionTable& table, WindowSpec& window);
/// Takes the flags of a stream on standard input. Throws Error(usage) if they contradict each
/// other, or if --window is given and standard input is not the only input.
void take_window(const cli::ParsedFlags& flags, const WindowSpec& window, ViewOptions& options);
/// Adds --isovalue and --mass.
void add_surface_flags(cli::OptionTable& table, ViewState& state);
/// Lets flags replace the surfaces of an earlier state, whose mode is given. Throws Error(usage) if
/// both are given.
void take_surfaces(const cli::ParsedFlags& flags, RenderMode before, ViewState& state);

}  // namespace skde::view
