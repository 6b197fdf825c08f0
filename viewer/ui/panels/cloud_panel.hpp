#pragma once

#include "viewer/session/view_state.hpp"
#include "viewer/ui/panels/panel_actions.hpp"
#include "viewer/ui/panels/panel_facts.hpp"

namespace skde::view::ui {

/// How the files are read: columns, weights, units; and the box that is looked at.
void draw_cloud_panel(ViewState& state, const PanelFacts& facts, PanelActions& actions);

}  // namespace skde::view::ui
