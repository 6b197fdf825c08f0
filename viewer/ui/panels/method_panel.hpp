#pragma once

#include "viewer/session/view_state.hpp"
#include "viewer/ui/panels/panel_facts.hpp"

namespace skde::view::ui {

/// Draws the chosen sample and slice, and the numbers of what chop and crop gain there.
void draw_method_panel(ViewState& state, const PanelFacts& facts);

}  // namespace skde::view::ui
