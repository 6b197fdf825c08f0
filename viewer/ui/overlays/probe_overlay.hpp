#pragma once

#include <glm/glm.hpp>
#include <optional>
#include <span>

#include "viewer/method/method_picture.hpp"
#include "viewer/scene/probe.hpp"

namespace skde::view::ui {

/// Draws the reading of the place under the mouse beside it, within the region of the volume.
void draw_probe(const ProbeReading& reading, const ProbeTexts& texts, glm::dvec2 mouse,
                const PixelRegion& region, float scale);
/// Draws a numbered cross for each pin; `pixels` count from the region's corner, none is drawn for
/// places behind the eye.
void draw_pins(std::span<const std::optional<glm::dvec2>> pixels, const PixelRegion& region,
               float scale);

}  // namespace skde::view::ui
