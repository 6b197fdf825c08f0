#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/words.hpp"
#include "estimate/stream/followed_stream.hpp"
#include "viewer/scene/view_state.hpp"

namespace skde::view {

/// The quantity that a film varies: the window of time, the bandwidth h, the camera around the
/// volume, or the slice of the method, then its sample.
enum class FilmKind { time, h, turn, method };

inline constexpr Words<FilmKind, 4> kFilmKinds{{{"time", FilmKind::time},
                                                {"h", FilmKind::h},
                                                {"turn", FilmKind::turn},
                                                {"method", FilmKind::method}}};

/// A film to write without a window.
struct FilmOptions {
  static constexpr int kUsualFrames = 120;

  FilmKind kind = FilmKind::turn;
  int frames = 0;    ///< 0: no film
  std::string name;  ///< a file name with a %d, or a video: see FilmWriter
  std::optional<std::array<double, 2>> range{};  ///< first and last h or time
  double rate = 25;                              ///< pictures a second of a video
};

/// Returns true if the name is that of a video: it ends in .mp4 or .webm.
inline bool is_video_name(const std::string& name) {
  return name.ends_with(".mp4") || name.ends_with(".webm");
}

/// The options of skde-view's command line.
struct ViewOptions {
  ViewState state;  ///< defaults, overridden by the recent view or --state, then by the flags
  std::optional<std::string> help_page{};  ///< printed instead of anything else
  bool version = false;                    ///< print the version instead of anything else
  std::optional<ViewState> recent;         ///< the view of the last session
  std::string complaint;  ///< why the recent view is not used; empty if there is no problem

  std::optional<WindowSpec> window;  ///< set if standard input is a stream to follow

  std::optional<std::array<double, 2>> pick;  ///< pixel of the ellipsoid to choose

  std::vector<std::vector<std::string>> windows{};  ///< arguments of further, linked ones

  /// Corners of an outline on the picture, in pixels, that selects samples; empty: none.
  std::vector<std::array<double, 2>> select{};
  bool select_only = false;  ///< whether only these are summed

  bool tell_sections = false;  ///< whether to print where --slices meet
  bool at_peak = false;        ///< whether that is the cell of the largest value

  std::optional<std::array<double, 2>> probe;  ///< pixel whose place to read and pin

  bool sample_given = false, slice_given = false;  ///< by flags, so that they must exist
  bool camera_given = false;                       ///< by a flag or the state of a session

  std::array<int, 2> size{1280, 800};  ///< in pixels for a picture, in screen coordinates for a
                                       ///< window
  double scale = 0;                    ///< of letters and lines; 0: the display's, or 1 without a
                                       ///< display
  std::string screenshot;              ///< PNG to write without a window, or .svg or .pdf of the
                                       ///< method; may be empty
  FilmOptions film;                    ///< to write without a window
  bool copy = false;                   ///< whether the screenshot goes to the clipboard too
  bool share = false;                  ///< whether to print an address of the page
  std::string reference;               ///< PNG to compare the screenshot with; may be empty
  double threshold = 1;                ///< largest accepted mean difference per channel, of 255
  int benchmark_frames = 0;            ///< frames to time; the times are printed as JSON
  bool panels = false;                 ///< whether pictures include the side window
  bool interop = true;                 ///< whether a density may reach OpenGL without passing
                                       ///< through the host
  bool debug_gl = false;  ///< whether the driver looks for errors; these are printed at the end

  /// Returns true if no window opens.
  bool headless() const { return !screenshot.empty() || film.frames > 0 || benchmark_frames > 0; }
};

/// Parses the arguments after the program's name. `recent` is the view of the last session. All of
/// it is used if a window opens and neither files nor --state are given. With --last-look its look
/// is used for the files that are given, without axis and camera, which belong to its cloud.
/// Throws Error(usage) if a flag is unknown, has no effect or contradicts another; Error(input) if
/// a file that flags name cannot be used; Error(output) if a picture cannot be written to its path;
/// Error(resources) if the engine cannot run here.
ViewOptions parse_view_options(std::span<const std::string> arguments,
                               const std::optional<ViewState>& recent = {});

/// Returns true for PNG names with one %d, with or without a width, such as "out_%04d.png".
bool is_frame_pattern(std::string_view name);

/// Returns the name of a frame: "out_0007.png" for 7. `pattern` must satisfy is_frame_pattern().
std::string frame_path(std::string_view pattern, int frame);

}  // namespace skde::view
