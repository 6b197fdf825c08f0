#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/space/space.hpp"
#include "viewer/layers/space/scene_overlay.hpp"

namespace skde {

struct SamplesView;

}  // namespace skde

namespace skde::view {

struct ReadoutLine;

/// What is known of a place in the volume.
struct ProbeReading {
  Vec3 place;             ///< world units
  double density = 0;     ///< by trilinear interpolation
  double mass_above = 0;  ///< share of the mass where the density is greater
  /// Index of the nearest sample, and its distance in world units. There is no distance if the axes
  /// have different units; the nearest is then that in shares of the box. None without samples.
  std::optional<std::size_t> sample{};
  std::optional<double> distance{};
};

/// How readings are written: names and units of the axes, the unit of the density, and digits that
/// suit the box.
struct ProbeTexts {
  AxisTexts axes;
  std::string density_unit;  ///< may be empty
  Vec3 extent{1, 1, 1};      ///< of the box
  bool rows = false;         ///< whether sample i is row i + 1 of its file
};

/// Finds the nearest sample. Sets sample and distance; leaves them without samples.
void find_nearest(const SamplesView& points, const SceneFrame& frame, ProbeReading& reading);

/// Returns the lines of a reading: position, density, mass above it, nearest sample.
std::vector<ReadoutLine> probe_lines(const ProbeReading& reading, const ProbeTexts& texts);
/// Returns the names of the columns of a table of readings, and the row of one, with full digits.
std::vector<std::string> probe_columns(const ProbeTexts& texts);
std::vector<std::string> probe_row(const ProbeReading& reading, const ProbeTexts& texts);

}  // namespace skde::view
