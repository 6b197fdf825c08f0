#pragma once

#include <array>
#include <glm/glm.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/space/space.hpp"
#include "pictures/axis_ticks.hpp"
#include "viewer/layers/space/camera.hpp"
#include "viewer/layers/space/line_batch.hpp"
#include "viewer/layers/space/scene_frame.hpp"

namespace skde::view {

/// A text at a pixel: centred on it, or beside it.
struct SceneLabel {
  glm::dvec2 pixel;
  std::string text;
  glm::vec4 color;
  glm::dvec2 aside{0};   ///< unit vector to the side of the pixel on which it lies; 0: centred
  bool certain = false;  ///< drawn in any case
  /// For captions: other possible places, and the text of a tick that the caption must clear.
  std::vector<glm::dvec2> elsewhere{};
  std::string beyond{};
  std::vector<std::string> shorter{};  ///< shorter versions, for little room
  std::optional<glm::dvec2> mark{};    ///< a thin line leads from here to the text
};

/// A line on the picture, which texts must not cross.
using PixelLine = std::array<glm::dvec2, 2>;

/// The lines around a volume as seen from a camera. A box is convex, so each of its edges lies
/// entirely before or behind the volume, and needs no depth test.
struct SceneLines {
  std::vector<LineSegment> behind, before;  ///< scene units
  std::vector<SceneLabel> labels;           ///< of ticks and axes
};

/// Names and units of the axes.
struct AxisTexts {
  std::array<std::string, 3> names{};  ///< if empty: x, y, z
  std::string units{};                 ///< of the coordinates; may be empty

  std::string name(std::size_t axis) const {
    return names[axis].empty() ? std::string(1, kAxisNames[axis]) : names[axis];
  }
};

/// Returns the edges of the box `bounds` (world units). Ticks are on the outline's lowest edges (x
/// and y) and leftmost edge (z). If lengths look different along the axes, the captions give the
/// factor.
SceneLines box_lines(const Box& bounds, const SceneFrame& frame, const Perspective& perspective,
                     const AxisTexts& texts, glm::vec4 color, double pixel_scale);

/// The directions of the axes and their letters. The directions are lines in clip coordinates in
/// the lower left corner, the farthest first.
struct AxesTriad {
  std::vector<LineSegment> lines;
  std::array<SceneLabel, 3> letters;
};
/// Returns whether a view of this size has room for the triad.
bool has_room_for_triad(glm::ivec2 viewport, double pixel_scale);
AxesTriad axes_triad(const Perspective& perspective, double pixel_scale,
                     const std::array<glm::vec4, 3>& colors, const SceneFrame& frame = SceneFrame(),
                     const AxisTexts& texts = {});

/// Returns the ellipses in which an ellipsoid u^T H^-1 u = 1 about `centre` meets the planes of its
/// principal axes, as they are in the scene. Throws Error(input) if H is not positive definite.
std::vector<LineSegment> ellipsoid_lines(Vec3 centre, const Symmetric3& H, const SceneFrame& frame,
                                         glm::vec4 color);

/// Returns the edges along which a clip cuts the box of a scene: those of the clip's
/// own box and of the polygon in which its plane meets what is left. Empty if nothing is left.
std::vector<LineSegment> clip_lines(const Clip& clip, const SceneFrame& frame, glm::vec4 color);

/// Returns the outlines of the sections that meet at a place, and the lines along which they meet,
/// as far as the clip keeps them.
std::vector<LineSegment> section_lines(Vec3 at, const Clip& clip, const SceneFrame& frame,
                                       const std::array<glm::vec4, 3>& colors);

/// The points centre + u_0 arms[0] + u_1 arms[1] + u_2 arms[2] with |u| <= 1, in scene units. The
/// arms are at right angles, the shortest first.
struct SceneEllipsoid {
  glm::dvec3 centre{0};
  std::array<glm::dvec3, 3> arms{};
};

/// Returns the ellipsoid u^T H^-1 u <= 1 about a place (world units). H may be singular: arms are
/// at least `least` long.
SceneEllipsoid scene_ellipsoid(Vec3 centre, const Symmetric3& H, const SceneFrame& frame,
                               double least = 0);

/// Returns the distance at which a ray enters an ellipsoid whose arms are longer than 0, negative
/// if that is before its origin; nothing if it misses.
std::optional<double> entry_of(const Ray& ray, const SceneEllipsoid& ellipsoid);

}  // namespace skde::view
