#pragma once

#include <string>

#include "viewer/ui/panels/panel_actions.hpp"

namespace skde::view::ui {

/// Tells an error until it is dismissed; nothing else can be done meanwhile. Empty: no dialog.
void draw_error_dialog(const std::string& error, PanelActions& actions);

}  // namespace skde::view::ui
