#pragma once

#include "viewer/ui/panels/panel_layout.hpp"

namespace skde::view::ui {

/// Draws the table of keys and mouse actions over the views while layout.help is set.
void draw_help_overlay(PanelLayout& layout);
/// Draws what a new user needs first, until its button or F1 is pressed.
void draw_hint(PanelLayout& layout);

}  // namespace skde::view::ui
