#pragma once

#include <string>
#include <vector>

#include "viewer/ui/panels/panel_actions.hpp"

namespace skde::view::ui {

/// Shows an error, if not empty, until it is dismissed, with a button for each change that mends
/// it; blocks all other input meanwhile.
void draw_error_dialog(const std::string& error, const std::vector<Remedy>& remedies,
                       PanelActions& actions);

}  // namespace skde::view::ui
