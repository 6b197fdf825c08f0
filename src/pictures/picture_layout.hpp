#pragma once

#include <array>

#include "core/space/space.hpp"

namespace skde {

/// Lengths of the box's sides in a picture.
struct PictureSides {
  std::array<int, 3> pixels{};
  bool one_scale = true;  ///< the same scale along every axis
};

/// Returns sides for a box of these extents (world units), such that x and z fit side by side into
/// `across` pixels, and y and z above each other into `up`. Sides that differ by more than a factor
/// of 4 (a thin box, degrees beside kilometres) get scales of their own; two sides that differ less
/// keep a common scale.
PictureSides choose_sides(const Vec3& extent, int across, int up);

}  // namespace skde
