#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/grid.hpp"
#include "core/kernel/ellipsoid.hpp"
#include "core/report/stage_times.hpp"
#include "viewer/method/method_readout.hpp"
#include "viewer/scene/scene_overlay.hpp"
#include "viewer/ui/value_ticks.hpp"
#include "viewer/volume/volume_histogram.hpp"

namespace skde::view::ui {

/// An engine to choose, and why it cannot run here; empty where it can.
struct EngineFact {
  std::string name, summary, unavailable;
};

/// What goes on off the frame loop.
struct ProgressFact {
  std::string stage;            ///< "accumulate"
  std::optional<double> share;  ///< of the stage that is done; none where nobody knows
  double seconds = 0;           ///< since it began
  std::string meanwhile{};      ///< what the picture shows until then; empty where it shows nothing
};

/// How the picture came about and what it cost. What is empty or unset is left out.
struct StatisticsFacts {
  std::string path;         ///< "CUDA-GL interop", "uploaded from the CPU"
  std::string path_reason;  ///< why there is no better one
  std::string engine, launch_policy;
  std::string accuracy;  ///< what values may be off by, and what was measured of it
  StageTimes stages;
  std::optional<double> recompute_seconds;  ///< from the request to the values
  std::optional<double> frame_seconds, march_seconds;
  std::optional<double> host_bytes, device_bytes;
  std::string renderer;  ///< renderer_name()
};

/// What the panels say about things that they do not change.
struct PanelFacts {
  std::vector<std::string> files;  ///< that the picture shows
  std::uint64_t samples = 0;
  std::vector<std::string> notes;     ///< rows that were dropped, values that are no densities
  std::vector<std::string> warnings;  ///< of the density: what may mislead
  ValueKind values;
  AxisTexts axes;
  bool is_volume_file = false;  ///< a density that was computed elsewhere, without samples
  bool is_stream = false;       ///< of the last samples of standard input, which nobody keeps

  /// h of the rules, where they can be used.
  std::optional<double> silverman, scott, normal_scale, normal_scott;
  std::optional<double> h;           ///< of the density that is shown
  bool own_kernels = false;          ///< each of its samples has an H of its own
  std::optional<Vec3> half_extents;  ///< of its kernel, in world units
  std::optional<Vec3> lengths;       ///< roots of the diagonal of its H
  std::optional<Grid> grid;          ///< its own
  double peak = 0;                   ///< its largest value
  Histogram histogram;               ///< of its values

  std::vector<EngineFact> engines;

  MethodReadout readout;
  IndexRange slices;                  ///< that chop leaves of the chosen sample
  std::optional<std::int32_t> slice;  ///< the one that is shown

  StatisticsFacts statistics;
  std::optional<ProgressFact> progress;  ///< while something is loaded or computed
  std::string error;                     ///< empty: none to be told
};

}  // namespace skde::view::ui
