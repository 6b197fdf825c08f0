#pragma once

#include "viewer/session/view_state.hpp"
#include "viewer/ui/panels/panel_actions.hpp"
#include "viewer/ui/panels/panel_facts.hpp"
#include "viewer/ui/panels/panel_layout.hpp"

namespace skde::view::ui {

/// Draws the column of times, the window in it, and the button that plays it.
void draw_time_panel(ViewState& state, const PanelFacts& facts, PanelLayout& layout,
                     PanelActions& actions);

/// Moves the window on while it plays and the picture keeps up; ends with the last time.
void play_time(ViewState& state, const PanelFacts& facts, PanelLayout& layout);

}  // namespace skde::view::ui
