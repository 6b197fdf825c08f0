#pragma once

#include "viewer/session/view_state.hpp"
#include "viewer/ui/panels/panel_actions.hpp"
#include "viewer/ui/panels/panel_facts.hpp"
#include "viewer/ui/panels/panel_layout.hpp"

namespace skde::view::ui {

/// Draws colours and opacities: the editor, colour maps, the axis, presets, and their files.
void draw_transfer_panel(ViewState& state, const PanelFacts& facts, PanelLayout& layout,
                         PanelActions& actions);

}  // namespace skde::view::ui
