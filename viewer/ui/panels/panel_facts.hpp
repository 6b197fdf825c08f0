#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bandwidth/bandwidth.hpp"
#include "core/kernel/ellipsoid.hpp"
#include "core/space/grid.hpp"
#include "estimate/read/time_window.hpp"
#include "viewer/layers/method/sample_slices.hpp"
#include "viewer/layers/space/scene_frame.hpp"
#include "viewer/layers/space/scene_overlay.hpp"
#include "viewer/layers/volume/volume_histogram.hpp"
#include "viewer/session/column_choice.hpp"
#include "viewer/session/density_controls.hpp"
#include "viewer/ui/value_ticks.hpp"
#include "viewer/work/live_answers.hpp"
#include "viewer/work/questions.hpp"

namespace skde::view {
class ViewSession;
}

namespace skde::view::ui {

/// An engine to choose. `unavailable` says why it cannot run here; empty if it can.
struct EngineFact {
  std::string name, summary, unavailable;
};

/// Progress of the work outside the frame loop.
struct ProgressFact {
  std::string stage;            ///< for example "accumulate"
  std::optional<double> share;  ///< finished share of the stage; none if unknown
  double seconds = 0;           ///< since the start
  std::string meanwhile{};      ///< what the picture shows until then; may be empty
};

/// The ellipsoids that can be shown, and the fit of others.
struct MixtureFacts {
  std::size_t members = 0;            ///< those that can be shown; 0: none
  std::vector<ReadoutLine> chosen{};  ///< numbers of the chosen one; empty if none is
  std::size_t cells = 0;              ///< of the density, the most that a fit can find; 0: none
  FitStatus fit{};
  std::vector<ReadoutLine> result{};  ///< what the last fit reached; empty before it has ended
};

/// What the probe has read at its pins.
struct ProbeFacts {
  std::vector<std::string> columns{};            ///< their names
  std::vector<std::vector<std::string>> rows{};  ///< a row for each pin
};

/// What can be done with the open files, and about errors and warnings.
struct FileFacts {
  std::vector<Remedy> remedies{};          ///< of the error
  std::optional<ColumnChoice> columns{};   ///< set if the error asks for columns
  std::vector<Remedy> warning_remedies{};  ///< of the density's warnings
  bool can_reload = false;
  bool has_samples = false, has_density = false;
  bool stream_paused = false, stream_ended = false;
};

/// What the panels show but do not change.
struct PanelFacts {
  std::vector<std::string> files;  ///< those that the picture shows
  std::uint64_t samples = 0;
  std::vector<std::string> columns;           ///< those of the files that the density does not use
  std::string selected;                       ///< which samples an outline selects; empty: none
  std::optional<std::uint64_t> shown_points;  ///< how many samples are shown, if not all
  std::vector<std::string> notes;             ///< dropped rows, invalid density values
  std::vector<std::string> warnings;          ///< of the density: what may mislead
  Quantity values{"density", ""};
  AxisTexts axes;
  bool is_volume_file = false;  ///< a density computed elsewhere, without samples
  bool is_stream = false;       ///< of recent samples from standard input, which are not kept

  BandwidthSuggestions suggested;  ///< the h that each rule gives, if the rule applies
  std::optional<double> h;         ///< of the density that is shown
  bool own_kernels = false;        ///< whether each of its samples has its own H
  std::optional<Vec3> lengths;     ///< roots of the diagonal of the density's H
  std::optional<Grid> grid;        ///< of the density
  SceneFrame frame;                ///< in which its box is drawn
  double at_sections = 0;          ///< density of the cell where its sections meet
  double peak = 0;                 ///< largest value of the density
  std::optional<Vec3> peak_place;  ///< where it is, if a tab tells it
  Histogram histogram;             ///< of the density's values
  /// How its mass is spread over its values.
  std::shared_ptr<const MassProfile> masses = std::make_shared<const MassProfile>();

  std::vector<EngineFact> engines;

  FileFacts file_facts;

  MixtureFacts mixture;

  ProbeFacts probe;

  ScoreFacts score;

  CompareFacts compare;

  std::optional<TimeRange> time;  ///< the window that is shown, if there is a column of times

  MethodReadout readout;
  IndexRange slices;                  ///< kept by chop for the chosen sample
  std::optional<std::int32_t> slice;  ///< the slice that is shown

  std::vector<ReadoutLine> statistics;   ///< how the picture was made and what it cost
  double frame_seconds = 0;              ///< of the last whole picture; 0: not known
  std::optional<ProgressFact> progress;  ///< while something is being loaded or computed
  std::string error;                     ///< empty if there is none to report
};

}  // namespace skde::view::ui

namespace skde::view {

/// Returns what the panels show of a session, except frame times. `renderer`: renderer_name().
ui::PanelFacts facts_of(ViewSession& session, const std::string& renderer);
/// Returns what of the density cannot be seen as it was asked for, and why, one line each: values
/// that no density has, surfaces, slices and clips beyond the box, rows without a place. Requires
/// a density.
std::vector<std::string> picture_warnings(ViewSession& session);

}  // namespace skde::view
