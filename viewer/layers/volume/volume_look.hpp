#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <vector>

#include "core/report/words.hpp"
#include "core/space/grid.hpp"
#include "viewer/layers/space/scene_frame.hpp"

namespace skde::view {

/// Maps densities to colours: `low` gets the first colour and `high` the last, linearly in the
/// value or in its logarithm. Requires 0 < low < high if logarithmic, low < high otherwise.
struct ValueAxis {
  double low = 0, high = 1;
  bool logarithmic = false;

  /// Returns 0 at low, 1 at high, clamped to 0..1 outside.
  double share_of(double value) const {
    if (!logarithmic) return std::clamp((value - low) / (high - low), 0.0, 1.0);
    if (!(value > low)) return 0;
    return std::clamp(std::log(value / low) / std::log(high / low), 0.0, 1.0);
  }
  double value_at(double share) const {
    return logarithmic ? low * std::pow(high / low, share) : low + share * (high - low);
  }
  friend bool operator==(const ValueAxis&, const ValueAxis&) = default;
};

enum class RenderMode { composite, maximum, isosurface };

/// Most nested surfaces of a picture; the shader keeps their densities in a vec4.
inline constexpr std::size_t kMostSurfaces = 4;

/// The masses inside the surfaces that isosurface mode starts with, and that are faintly seen in
/// opacities by mass.
inline const std::vector<double> kFirstMasses{0.5, 0.75, 0.95};

/// Whether the members of a mixture are drawn as ellipsoids: under the volume, or instead of it.
enum class EllipsoidsShown { off, under, alone };

/// The look of the volume, apart from the camera.
struct VolumeLook {
  RenderMode mode = RenderMode::composite;
  ValueAxis axis;
  /// Colours (sRGB, 0..1) and opacity, evenly spaced over the axis, at least two. The opacity is
  /// that of a layer whose thickness is a hundredth of the box's diagonal.
  std::vector<glm::vec4> colors;
  bool gradient_shading = false;  ///< composite: shading by the density's gradient
  double isovalue = 0.5;          ///< position of the isosurface, as a share of the axis
  /// Isosurface: densities of nested, translucent surfaces, at most kMostSurfaces. They replace
  /// that of the isovalue if there are any.
  std::vector<double> surfaces;
  Clip clip;           ///< what is cut away
  bool jitter = true;  ///< starts rays at different depths, against banding
  /// Samples of a ray per cell that it crosses: 1 is full quality, less while things move.
  double quality = 1;
};

/// Whether the three sections stand in the volume: within it, or without what is around them.
enum class SectionsShown { off, within, alone };

inline constexpr Words<SectionsShown, 3> kSectionsShown{{{"off", SectionsShown::off},
                                                         {"within", SectionsShown::within},
                                                         {"alone", SectionsShown::alone}}};

/// Three orthogonal sections of the volume, which meet at a place: what users call slices. (The
/// method's slices are those of one sample.)
struct Sections {
  SectionsShown shown = SectionsShown::off;  ///< in the volume
  std::optional<Vec3> at{};                  ///< world units; none: the middle of the box
  bool smooth = false;  ///< interpolates between cells; else each cell has its own value's colour
  /// Samples this near to a section are drawn over its picture: a share of the box's edge.
  double near = 0.02;

  /// Returns where the sections meet in the box of a grid.
  Vec3 place(const Grid& grid) const;
  friend bool operator==(const Sections&, const Sections&) = default;
};

/// Returns the cell in whose layer the section across an axis lies.
inline std::int64_t section_cell(const Grid& grid, Vec3 at, int axis) {
  const double cells = (at[axis] - grid.lower[axis]) / grid.spacing[axis];
  const std::int64_t most = grid.dims[static_cast<std::size_t>(axis)] - 1;
  return std::clamp(static_cast<std::int64_t>(std::floor(cells)), std::int64_t{0}, most);
}

inline Vec3 Sections::place(const Grid& grid) const {
  const Box box = grid.bounds();
  if (!at) return box.centre();
  Vec3 inside = *at;
  for (int axis = 0; axis < 3; ++axis)
    inside[axis] = std::clamp(inside[axis], box.lower[axis], box.upper[axis]);
  return inside;
}

}  // namespace skde::view
