#pragma once

#include "viewer/session/view_state.hpp"
#include "viewer/ui/panels/panel_facts.hpp"
#include "viewer/ui/panels/panel_layout.hpp"

namespace skde::view::ui {

/// The line of opacities over the histogram of the density, and the colours below it. Control
/// points are dragged, added by a double click, and removed by the right button.
void draw_transfer_editor(ViewState& state, const PanelFacts& facts, PanelLayout& layout);

}  // namespace skde::view::ui
