#pragma once

#include "viewer/ui/panels/panel_layout.hpp"

namespace skde::view::ui {

/// Draws the table of keys and mouse actions over the views while layout.help is set.
void draw_help_overlay(PanelLayout& layout);

}  // namespace skde::view::ui
