#pragma once

#include "viewer/ui/panels/panel_actions.hpp"
#include "viewer/ui/panels/panel_facts.hpp"
#include "viewer/ui/panels/panel_layout.hpp"

namespace skde::view::ui {

/// Draws a progress bar with its stage and a cancel button over the lower edge of the views, if
/// something takes longer than a fifth of a second.
void draw_progress_overlay(const PanelFacts& facts, const PanelLayout& layout,
                           PanelActions& actions);

}  // namespace skde::view::ui
