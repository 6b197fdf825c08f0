#pragma once

#include "viewer/session/view_state.hpp"
#include "viewer/ui/panels/panel_facts.hpp"

namespace skde::view::ui {

/// Draws the switch of the probe and the table of its pins, which can be copied.
void draw_probe_panel(ViewState& state, const ProbeFacts& facts);

}  // namespace skde::view::ui
