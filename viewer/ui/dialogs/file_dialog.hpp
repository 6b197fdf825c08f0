#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "viewer/session/column_choice.hpp"
#include "viewer/session/density_controls.hpp"
#include "viewer/session/files/opened_files.hpp"

namespace skde::view::ui {

/// The dialog in which files are chosen.
struct FileDialog {
  std::optional<FilePurpose> purpose;  ///< none: the dialog is closed
  std::string folder;                  ///< absolute
  std::string name;                    ///< of the file to write
  bool all_files = false;              ///< shows files of unknown formats too
  std::vector<FolderEntry> entries;    ///< of the folder
  std::vector<bool> chosen;            ///< for each of them
  std::size_t last = 0;                ///< the entry that was chosen last
  std::string complaint;               ///< why the folder cannot be shown
  bool appears = false;                ///< in the next frame
};

/// The state of dialogs and of undo steps. It is no part of the view.
struct FileDesk {
  FileDialog dialog;
  std::optional<ColumnChoice> columns;           ///< as chosen so far, while the dialog is open
  std::vector<std::vector<std::string>> recent;  ///< files opened lately, those of the last first
  bool can_undo = false, can_redo = false;
  bool has_last_look = false;
  bool hint = false;  ///< whether the hint for the first use is shown
};

/// Files that the user has chosen.
struct ChosenFiles {
  FilePurpose purpose = FilePurpose::open;
  std::vector<std::string> paths;  ///< absolute
};

/// The user's requests in one frame that concern files or the whole view.
struct FileActions {
  std::optional<FilePurpose> ask;  ///< shows the dialog of files
  std::optional<ChosenFiles> chosen;
  std::optional<std::size_t> recent;  ///< opens these files of PanelLayout::desk
  bool ask_columns = false;           ///< shows the dialog of columns
  std::optional<ColumnChoice> columns;
  std::optional<Remedy> remedy;
  bool reload = false, pause = false;
  bool undo = false, redo = false, reset_all = false, last_look = false;
  bool copy_command = false;
};

/// Returns the path without its folders.
std::string base_name(const std::string& path);
/// Draws a line for each of the files that were opened lately.
void draw_recent_files(const FileDesk& desk, FileActions& actions);
/// Opens the dialog for a purpose, in its present folder.
void ask_for_files(FileDialog& dialog, FilePurpose purpose);

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
