#pragma once

#include "viewer/session/view_state.hpp"
#include "viewer/ui/panels/panel_facts.hpp"

namespace skde::view::ui {

/// The chosen sample and slice, and in numbers what chop and crop gain there.
void draw_method_panel(ViewState& state, const PanelFacts& facts);

}  // namespace skde::view::ui
