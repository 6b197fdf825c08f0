#pragma once

#include "viewer/session/view_state.hpp"
#include "viewer/ui/panels/panel_actions.hpp"
#include "viewer/ui/panels/panel_facts.hpp"

namespace skde::view::ui {

/// Draws what the density is compared with, how, and the figures of the comparison.
void draw_compare_panel(ViewState& state, const CompareFacts& facts, PanelActions& actions);

}  // namespace skde::view::ui
