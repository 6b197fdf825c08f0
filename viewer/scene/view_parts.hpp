#pragma once

#include <array>

#include "core/space/space.hpp"
#include "viewer/layers/space/camera.hpp"
#include "viewer/layers/space/scene_frame.hpp"
#include "viewer/scene/view_state.hpp"

namespace skde::view {

/// Places of the views on a picture; a view that is not shown has size 0.
struct ViewParts {
  PixelRegion method, volume;
  PixelRegion
      bar;  ///< column of the scalar bar, right of the volume; empty if there is little room
  std::array<PixelRegion, 3> sections{};           ///< across x, y and z
  std::array<PixelRegion, 3> compared_sections{};  ///< of the density that is compared
  PixelRegion compared{};  ///< the density that is compared with that of `volume`, beside it
  int split = 0;  ///< axis along which the views stand side by side: 0, or 1 where that is longer

  /// Returns the sections, of the compared density if the pixel is in one of them.
  const std::array<PixelRegion, 3>& sections_at(glm::dvec2 pixel) const;
  /// Returns the line between the views, widened to where the mouse takes it; empty if only one
  /// view is shown.
  PixelRegion border(float scale) const;
};

/// Divides a region among the views of a state: the method at the left, or below the volume if the
/// region is higher than wide.
ViewParts view_parts(const ViewState& state, const PixelRegion& region, float scale);

/// Returns the method's share of a region whose border is moved to a pixel.
double method_share_at(const ViewParts& parts, const PixelRegion& region, glm::dvec2 pixel);

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
