#pragma once

#include "viewer/session/view_state.hpp"
#include "viewer/ui/panels/panel_actions.hpp"
#include "viewer/ui/panels/panel_layout.hpp"

namespace skde::view::ui {

/// Draws the theme, and the ground, title, decorations and size of pictures that are written.
void draw_picture_panel(ViewState& state, PanelLayout& layout, PanelActions& actions);

}  // namespace skde::view::ui
