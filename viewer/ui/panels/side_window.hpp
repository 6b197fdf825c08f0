#pragma once

#include "viewer/scene/view_state.hpp"
#include "viewer/ui/panels/panel_actions.hpp"
#include "viewer/ui/panels/panel_facts.hpp"
#include "viewer/ui/panels/panel_layout.hpp"

namespace skde::view::ui {

/// Returns whether the side window is shown, beside the views or over them.
bool is_side_window_shown(const Division& division, const PanelLayout& layout);
/// Shows or hides the side window.
void toggle_side_window(Division& division, PanelLayout& layout);

/// Draws the panels one below another at the left edge, with the width that the user drags; if
/// hidden, a button that shows them again. Sets layout.views to the rest.
void draw_side_window(ViewState& state, const PanelFacts& facts, PanelLayout& layout,
                      PanelActions& actions);

}  // namespace skde::view::ui
