#pragma once

#include "viewer/ui/dialogs/file_actions.hpp"
#include "viewer/ui/dialogs/file_desk.hpp"

namespace skde::view::ui {

/// Draws the dialog in which files are chosen, if it is open. Several files are one cloud.
void draw_file_dialog(FileDesk& desk, FileActions& actions);

/// Draws the dialog in which the columns of a file are chosen, with its first rows, while there is
/// something to choose from. `remedies` are other changes that mend the failure. Returns true if
/// the user has closed it without a choice.
bool draw_column_dialog(const ColumnChoice* offered, const std::vector<Remedy>& remedies,
                        FileDesk& desk, FileActions& actions);
/// Draws a button for each change.
void remedy_buttons(const std::vector<Remedy>& remedies, FileActions& actions);

}  // namespace skde::view::ui
