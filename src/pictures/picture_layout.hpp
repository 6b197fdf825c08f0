#pragma once

#include <array>

#include "core/space.hpp"

namespace skde {

/// How long the box's sides are in a picture.
struct PictureSides {
  std::array<int, 3> pixels{};
  bool one_scale = true;  ///< a length looks alike along every axis
};

/// Sides for a box of these extents (world units), so that x and z fit side by side into `across`
/// pixels and y and z one above the other into `up`. Sides that differ by more than a factor of 4
/// (a thin box, degrees beside kilometres) get lengths of their own; two that do not differ so
/// much keep their common scale.
PictureSides choose_sides(const Vec3& extent, int across, int up);

}  // namespace skde
