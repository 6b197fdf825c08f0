#pragma once

#include "viewer/ui/panels/panel_layout.hpp"

namespace skde::view::ui {

/// The table of keys and of what the mouse does, over the views while layout.help is set.
void draw_help_overlay(PanelLayout& layout);

}  // namespace skde::view::ui
