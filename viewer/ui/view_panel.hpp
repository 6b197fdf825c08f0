#pragma once

#include "viewer/ui/panel_actions.hpp"
#include "viewer/view_state.hpp"

namespace skde::view::ui {

/// What is shown, how the volume is drawn, and from where it is seen.
void draw_view_panel(ViewState& state, PanelActions& actions);

}  // namespace skde::view::ui
