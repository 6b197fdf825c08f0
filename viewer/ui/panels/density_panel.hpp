#pragma once

#include "viewer/session/view_state.hpp"
#include "viewer/ui/panels/panel_actions.hpp"
#include "viewer/ui/panels/panel_facts.hpp"
#include "viewer/ui/panels/panel_layout.hpp"

namespace skde::view::ui {

/// Draws kernel, bandwidth, covariance, grid, engine and normalisation.
void draw_density_panel(ViewState& state, const PanelFacts& facts, const PanelLayout& layout,
                        PanelActions& actions);
/// Draws rarely needed details: other ways to specify H, the grid and the engine's machine.
void draw_details_panel(ViewState& state, const PanelFacts& facts, PanelActions& actions);

}  // namespace skde::view::ui
