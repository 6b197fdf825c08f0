#pragma once

#include "viewer/session/view_state.hpp"
#include "viewer/ui/panel_facts.hpp"

namespace skde::view::ui {

/// Kernel, bandwidth, covariance, grid, engine and normalisation.
void draw_density_panel(ViewState& state, const PanelFacts& facts);

}  // namespace skde::view::ui
