#pragma once

#include "viewer/ui/panels/panel_facts.hpp"

namespace skde::view::ui {

/// Draws how the picture was made: path, engine, stage times, frame times, memory, renderer.
void draw_statistics_panel(const StatisticsFacts& facts);

}  // namespace skde::view::ui
