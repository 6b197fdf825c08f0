#pragma once

#include <algorithm>
#include <string>

#include "viewer/layers/method/method_picture.hpp"

// Cases of the method's picture, for several tests.
namespace skde::view {

/// Tilted, so that no slice equals its mirror image; the face at +x cuts it.
inline const Symmetric3 kLeaning{16, 7, 3, 9, 2, 12};
inline const Grid kSmallGrid{{0, 0, 0}, {1, 1, 1}, {23, 15, 17}};
inline const PixelRegion kWhole{{0, 0}, {900, 700}};

inline SampleSlices sliced(Vec3 position, const Symmetric3& H = kLeaning,
                           const Grid& grid = kSmallGrid) {
  return slice_sample(make_ellipsoid(H, grid), grid, position);
}

inline bool covers(const FilledQuad& quad, glm::vec2 p) {
  int signs = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const glm::vec2 a = quad.corners[i], b = quad.corners[(i + 1) % 4];
    const float side = (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
    signs |= side > 0 ? 1 : side < 0 ? 2 : 0;
  }
  return signs != 3 && signs != 0;
}

inline bool has(const MethodPicture& picture, const std::string& text) {
  return std::ranges::any_of(picture.labels,
                             [&](const SliceLabel& label) { return label.text == text; });
}

}  // namespace skde::view
