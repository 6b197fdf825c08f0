#pragma once

#include <array>
#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <string>

#include "viewer/scene/camera.hpp"

namespace skde::view {

// Colours of the method view (sRGB, 0..1), for its cells and for the panels that refer to them.
inline constexpr glm::vec3 kInsideColor{242 / 255.F, 201 / 255.F, 76 / 255.F};
inline constexpr glm::vec3 kEvaluatedColor{39 / 255.F, 174 / 255.F, 96 / 255.F};
inline constexpr glm::vec3 kFullSliceColor{91 / 255.F, 98 / 255.F, 107 / 255.F};
inline constexpr glm::vec3 kMethodBackground{20 / 255.F, 23 / 255.F, 28 / 255.F};

/// What the method view shows besides the sample's slices.
struct MethodLook {
  std::size_t sample = 0;             ///< index of the sample whose slices show() received
  std::optional<std::int32_t> slice;  ///< of the grid; the sample's nearest if unset or outside
  /// How far the full slices show, for a smooth change. 0: not at all, with the views fitted to the
  /// cropped range; 1: entirely, with the views fitted to the whole grid.
  float full_share = 0;
  std::array<std::string, 3> axes{"x", "y", "z"};  ///< names
  /// Camera of the stack. Its scene is centred on the box that the views are fitted to, whose
  /// bounding sphere has radius 1.
  Camera camera;

  friend bool operator==(const MethodLook&, const MethodLook&) = default;
};

}  // namespace skde::view
