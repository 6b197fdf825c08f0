#pragma once

#include <imgui.h>

#include <span>
#include <string>
#include <vector>

#include "viewer/method/slice_view.hpp"

namespace skde::view::ui {

inline const ImVec4 kWarningColor{1.0F, 0.76F, 0.28F, 1};

/// What may mislead, in lines along the upper edge of a region, and what is left for the views.
struct WarningStrip {
  std::vector<std::string> lines;
  PixelRegion views;
};

/// Lines as wide as the region; where there are many, those that leave most of it to the views,
/// the last with an ellipsis.
WarningStrip warning_strip(std::span<const std::string> warnings, const PixelRegion& region,
                           float scale);
void draw_warnings(const WarningStrip& strip, const PixelRegion& region, float scale);

}  // namespace skde::view::ui
