#pragma once

#include "viewer/ui/panels/panel_actions.hpp"
#include "viewer/ui/panels/panel_facts.hpp"
#include "viewer/ui/panels/panel_layout.hpp"

namespace skde::view::ui {

/// Draws the fit of ellipsoids to the density: their number, start and stop, the error over the
/// steps, what was reached, and the file to save it in.
void draw_fit_panel(const MixtureFacts& facts, PanelLayout& layout, PanelActions& actions);

}  // namespace skde::view::ui
