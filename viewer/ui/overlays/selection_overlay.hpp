#pragma once

#include <glm/glm.hpp>
#include <span>

namespace skde::view::ui {

/// Draws the outline of a selection, in pixels of the picture; nothing for fewer than two places.
void draw_outline(std::span<const glm::dvec2> pixels, float scale);

}  // namespace skde::view::ui
