#pragma once

#include <string>

#include "viewer/ui/panels/panel_actions.hpp"

namespace skde::view::ui {

/// Shows an error, if not empty, until it is dismissed; blocks all other input meanwhile.
void draw_error_dialog(const std::string& error, PanelActions& actions);

}  // namespace skde::view::ui
