#pragma once

#include <imgui.h>

#include <span>
#include <string>
#include <vector>

#include "viewer/layers/method/method_picture.hpp"

namespace skde::view::ui {

/// Warnings, as lines along the upper edge of a region, and the region left to the views.
struct WarningStrip {
  std::vector<std::string> lines;
  PixelRegion views;
};

/// Breaks the warnings into lines as wide as the region. If there are many, keeps only as many as
/// leave most of the region to the views; the last one ends with an ellipsis.
WarningStrip warning_strip(std::span<const std::string> warnings, const PixelRegion& region,
                           float scale);
void draw_warnings(const WarningStrip& strip, const PixelRegion& region, float scale);

}  // namespace skde::view::ui
