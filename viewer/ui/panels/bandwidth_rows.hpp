#pragma once

#include "viewer/scene/view_state.hpp"
#include "viewer/ui/panels/panel_actions.hpp"
#include "viewer/ui/panels/panel_facts.hpp"
#include "viewer/ui/panels/panel_layout.hpp"

namespace skde::view::ui {

/// Draws the rows for the kernel's ellipsoid: its form, and a rule, h, or three lengths.
void draw_bandwidth_rows(ViewState& state, const PanelFacts& facts, const PanelLayout& layout,
                         PanelActions& actions);

}  // namespace skde::view::ui
