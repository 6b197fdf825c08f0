#pragma once

#include "viewer/session/view_state.hpp"
#include "viewer/ui/panels/panel_actions.hpp"
#include "viewer/ui/panels/panel_facts.hpp"

namespace skde::view::ui {

/// Draws the options of reading the files (columns, weights, units) and the box that is used.
void draw_cloud_panel(ViewState& state, const PanelFacts& facts, PanelActions& actions);

}  // namespace skde::view::ui
