#pragma once

#include "viewer/session/view_state.hpp"
#include "viewer/ui/panels/panel_facts.hpp"

namespace skde::view::ui {

/// Draws how ellipsoids are shown, and the numbers of the chosen one.
void draw_mixture_panel(ViewState& state, const MixtureFacts& facts);

}  // namespace skde::view::ui
