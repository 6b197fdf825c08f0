#pragma once

#include "viewer/session/view_state.hpp"
#include "viewer/ui/panels/panel_facts.hpp"
#include "viewer/ui/panels/panel_layout.hpp"

namespace skde::view::ui {

/// Draws the line of opacities over the histogram of the density, and the colours below it. The
/// user drags control points, adds them by double click and removes them with the right button.
void draw_transfer_editor(ViewState& state, const PanelFacts& facts, PanelLayout& layout);

}  // namespace skde::view::ui
