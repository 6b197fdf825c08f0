#pragma once

#include <imgui.h>

#include "viewer/layers/space/inks.hpp"

namespace skde::view::ui {

/// Returns the inks of the theme that panels have now: see PanelLayer::set_theme().
const Inks& theme_inks();

ImVec4 panel_color(glm::vec4 color);
/// Returns a colour as drawing lists take it.
ImU32 packed(glm::vec4 color);

}  // namespace skde::view::ui
