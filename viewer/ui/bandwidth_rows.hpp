#pragma once

#include "viewer/session/view_state.hpp"
#include "viewer/ui/panels/panel_facts.hpp"

namespace skde::view::ui {

/// What the kernel's ellipsoid is made of, and how large it is: a rule, h, or three lengths.
void draw_bandwidth_rows(ViewState& state, const PanelFacts& facts);

}  // namespace skde::view::ui
