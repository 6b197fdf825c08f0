#pragma once

#include "viewer/session/view_state.hpp"
#include "viewer/ui/panels/panel_actions.hpp"
#include "viewer/ui/panels/panel_facts.hpp"
#include "viewer/ui/panels/panel_layout.hpp"

namespace skde::view::ui {

/// Draws what is shown, how the volume is drawn, and the camera.
void draw_view_panel(ViewState& state, const PanelFacts& facts, PanelLayout& layout,
                     PanelActions& actions);

}  // namespace skde::view::ui
