#pragma once

#include "viewer/ui/panels/panel_actions.hpp"
#include "viewer/ui/panels/panel_facts.hpp"
#include "viewer/ui/panels/panel_layout.hpp"

namespace skde::view::ui {

/// A bar over the lower edge of the views while something goes on for longer than a fifth of a
/// second, with its stage, and a button that ends it.
void draw_progress_overlay(const PanelFacts& facts, const PanelLayout& layout,
                           PanelActions& actions);

}  // namespace skde::view::ui
