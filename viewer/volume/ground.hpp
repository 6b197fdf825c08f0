#pragma once

#include <glm/glm.hpp>

namespace skde::view {

/// The colours of the ground that the views are drawn on.
inline constexpr glm::vec3 kDarkGround{0.07F, 0.075F, 0.09F}, kLightGround{1, 1, 1};

/// Returns true if dark inks stand out against a ground.
inline bool is_light(glm::vec3 ground) {
  return glm::dot(ground, glm::vec3(0.2126F, 0.7152F, 0.0722F)) >= 0.4F;
}

/// Returns a grey that stands out against a ground.
inline glm::vec4 ink_on(glm::vec3 ground) {
  return is_light(ground) ? glm::vec4(0.22F, 0.23F, 0.25F, 1) : glm::vec4(0.72F, 0.74F, 0.77F, 1);
}

}  // namespace skde::view
