#pragma once

#include "viewer/session/view_state.hpp"
#include "viewer/ui/panels/panel_actions.hpp"
#include "viewer/ui/panels/panel_facts.hpp"
#include "viewer/ui/panels/panel_layout.hpp"

namespace skde::view::ui {

/// The panels below each other at the left edge, as wide as the mouse drags them; hidden, a button
/// that brings them back. Sets layout.views to what is left.
void draw_side_window(ViewState& state, const PanelFacts& facts, PanelLayout& layout,
                      PanelActions& actions);

}  // namespace skde::view::ui
