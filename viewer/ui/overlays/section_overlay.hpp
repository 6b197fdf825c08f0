#pragma once

#include <span>

#include "viewer/scene/scene_overlay.hpp"
#include "viewer/scene/section_maps.hpp"

namespace skde::view::ui {

/// Draws axes with ticks around flat sections, and the cross-hair where the others cross them.
void draw_sections(std::span<const SectionMap> maps, const Box& bounds, Vec3 at,
                   const AxisTexts& texts, float scale);

}  // namespace skde::view::ui
