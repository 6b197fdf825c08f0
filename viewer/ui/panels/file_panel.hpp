#pragma once

#include "viewer/ui/panels/panel_actions.hpp"
#include "viewer/ui/panels/panel_facts.hpp"
#include "viewer/ui/panels/panel_layout.hpp"

namespace skde::view::ui {

/// Draws the buttons that open and save files, and those that undo steps.
void draw_file_panel(const PanelFacts& facts, PanelLayout& layout, PanelActions& actions);
/// Draws what is known of a followed stream, and a button that pauses it.
void draw_stream_rows(const FileFacts& facts, PanelActions& actions);

}  // namespace skde::view::ui
