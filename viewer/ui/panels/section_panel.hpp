#pragma once

#include "viewer/session/view_state.hpp"
#include "viewer/ui/panels/panel_facts.hpp"

namespace skde::view::ui {

/// Draws the controls of the three orthogonal sections.
void draw_section_panel(ViewState& state, const PanelFacts& facts);

}  // namespace skde::view::ui
