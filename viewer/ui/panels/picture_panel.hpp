#pragma once

#include "viewer/session/appearance.hpp"
#include "viewer/ui/panels/panel_actions.hpp"

namespace skde::view::ui {

/// Draws the theme, and the ground, title, decorations, format and size of pictures that are
/// written.
void draw_picture_panel(Appearance& appearance, PanelActions& actions);

}  // namespace skde::view::ui
