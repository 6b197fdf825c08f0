#pragma once

#include <imgui.h>

#include <span>
#include <string>

#include "viewer/method/slice_view.hpp"

namespace skde::view::ui {

inline const ImVec4 kWarningColor{1.0F, 0.76F, 0.28F, 1};

/// Writes what may mislead over the upper edge of the views, each warning in lines as wide as they.
void draw_warnings(std::span<const std::string> warnings, const PixelRegion& region, float scale);

}  // namespace skde::view::ui
