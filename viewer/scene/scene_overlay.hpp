#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/space.hpp"
#include "pictures/axis_ticks.hpp"
#include "viewer/scene/camera.hpp"
#include "viewer/scene/line_batch.hpp"
#include "viewer/scene/scene_frame.hpp"

namespace skde::view {

/// A text that belongs at a pixel: centred on it, or beside it.
struct SceneLabel {
  glm::dvec2 pixel;
  std::string text;
  glm::vec4 color;
  glm::dvec2 aside{0};   ///< of length 1: on which side of the pixel it lies; 0: centred
  bool certain = false;  ///< written wherever it falls
  /// Of captions: where it may stand as well, and the text of a tick that it stands beyond.
  std::vector<glm::dvec2> elsewhere{};
  std::string beyond{};
  std::vector<std::string> shorter{};  ///< what else it may say where there is little room
};

/// A line on the picture, which texts must not cross.
using PixelLine = std::array<glm::dvec2, 2>;

/// The colours of x, y and z.
inline constexpr std::array<glm::vec4, 3> kAxisColors{glm::vec4{0.93F, 0.26F, 0.26F, 1},
                                                      glm::vec4{0.36F, 0.75F, 0.29F, 1},
                                                      glm::vec4{0.29F, 0.53F, 0.95F, 1}};

/// The lines around a volume as seen from a camera. A box is convex, so each of its edges lies
/// before the whole volume or behind it, and needs no depth.
struct SceneLines {
  std::vector<LineSegment> behind, before;  ///< scene units
  std::vector<SceneLabel> labels;           ///< of ticks and axes
};

/// What the axes are called.
struct AxisTexts {
  std::array<std::string, 3> names{};  ///< empty: x, y, z
  std::string units{};                 ///< of the coordinates; may be empty

  std::string name(std::size_t axis) const {
    return names[axis].empty() ? std::string(1, kAxisNames[axis]) : names[axis];
  }
};

/// The edges of the box `bounds` (world units), with ticks on those edges at the outline that are
/// lowest (x and y) and leftmost (z). Where lengths look unlike along the axes, their names say
/// by what factor.
SceneLines box_lines(const Box& bounds, const SceneFrame& frame, const Perspective& perspective,
                     const AxisTexts& texts, glm::vec4 color, double pixel_scale);

/// The directions of the axes, as lines in clip coordinates in the lower left corner, farthest
/// first, and the letters that belong to them.
struct AxesTriad {
  std::vector<LineSegment> lines;
  std::array<SceneLabel, 3> letters;
};
/// Whether a view of that size has a corner for it.
bool has_room_for_triad(glm::ivec2 viewport, double pixel_scale);
AxesTriad axes_triad(const Perspective& perspective, double pixel_scale,
                     const SceneFrame& frame = SceneFrame(), const AxisTexts& texts = {});

/// The ellipses in which an ellipsoid u^T H^-1 u = 1 about `centre` meets the planes of its
/// principal axes (as they are in the scene). Throws Error(input) where H is not positive definite.
std::vector<LineSegment> ellipsoid_lines(Vec3 centre, const Symmetric3& H, const SceneFrame& frame,
                                         glm::vec4 color);

}  // namespace skde::view
