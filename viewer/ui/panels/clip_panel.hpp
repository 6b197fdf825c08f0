#pragma once

#include "viewer/session/view_state.hpp"
#include "viewer/ui/panels/panel_facts.hpp"

namespace skde::view::ui {

/// Draws the controls of what is cut away: a box, and a plane at any angle.
void draw_clip_panel(ViewState& state, const PanelFacts& facts);

}  // namespace skde::view::ui
