#pragma once

#include "viewer/ui/dialogs/file_actions.hpp"
#include "viewer/ui/dialogs/file_desk.hpp"

namespace skde::view::ui {

/// Draws the dialog in which files are chosen, if it is open. Several files are one cloud.
void draw_file_dialog(FileDesk& desk, FileActions& actions);

}  // namespace skde::view::ui
