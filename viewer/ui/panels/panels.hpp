#pragma once

#include "viewer/scene/view_state.hpp"
#include "viewer/ui/panels/panel_facts.hpp"
#include "viewer/ui/panels/panel_layout.hpp"

namespace skde::view::ui {

/// Declares all panels between PanelLayer's begin() and end(): the side window and what lies over
/// the views. Changes the state as the user requests and returns the other requests. Sets
/// layout.views to the part of the picture that no side window covers; it is never empty.
PanelActions draw_panels(ViewState& state, const PanelFacts& facts, PanelLayout& layout);

/// Returns whether the side window is shown, beside the views or over them.
bool is_side_window_shown(const Division& division, const PanelLayout& layout);
/// Shows or hides the side window.
void toggle_side_window(Division& division, PanelLayout& layout);

/// Draws the panels one below another at the left edge, with the width that the user drags; if
/// hidden, a button that shows them again. Sets layout.views to the rest.
void draw_side_window(ViewState& state, const PanelFacts& facts, PanelLayout& layout,
                      PanelActions& actions);

/// Tells for some seconds what has been done.
void show_notice(PanelLayout& layout, std::string notice);

}  // namespace skde::view::ui
