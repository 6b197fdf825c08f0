#pragma once

#include "viewer/session/view_state.hpp"
#include "viewer/ui/panels/panel_facts.hpp"

namespace skde::view::ui {

/// Draws the controls of how samples look in the volume, and which are shown.
void draw_point_panel(ViewState& state, const PanelFacts& facts);

}  // namespace skde::view::ui
