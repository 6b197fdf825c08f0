#pragma once

#include <array>

#include "core/space/space.hpp"
#include "viewer/method/method_picture.hpp"
#include "viewer/scene/scene_frame.hpp"

namespace skde::view {

/// How the section across an axis is drawn flat on its part of a picture. Pixels are those of the
/// picture, downwards.
struct SectionMap {
  int normal = 0, across = 0, up = 0;  ///< axes
  PixelRegion region{};                ///< of the section with its axes
  SceneFrame frame{};
  glm::dvec2 middle{0};  ///< pixel of the box's middle
  double pixels = 1;     ///< of a scene unit

  /// Returns where a place, moved along the normal into the section, is drawn.
  glm::dvec2 to_pixel(Vec3 world) const;
  /// Returns the place at a pixel, moved into the box, in the section through `at`.
  Vec3 to_world(glm::dvec2 pixel, Vec3 at) const;
  /// Returns the corners of the box's picture: upper left, and lower right.
  std::array<glm::dvec2, 2> corners() const;
  /// Maps scene units to clip coordinates of a picture of this size.
  glm::mat4 transform(glm::ivec2 picture) const;
};

/// Returns the maps of the sections across x, y and z, in this order, at one scale. `regions` are
/// their parts of the picture.
std::array<SectionMap, 3> section_maps(const std::array<PixelRegion, 3>& regions,
                                       const SceneFrame& frame, float scale);

}  // namespace skde::view
