#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "viewer/session/column_choice.hpp"
#include "viewer/session/files/file_purpose.hpp"
#include "viewer/session/files/folder_listing.hpp"

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

/// What the panels know of files and steps besides the view, and what they remember of dialogs.
struct FileDesk {
  FileDialog dialog;
  std::optional<ColumnChoice> columns;           ///< as chosen so far, while the dialog is open
  std::vector<std::vector<std::string>> recent;  ///< files opened lately, those of the last first
  bool can_undo = false, can_redo = false;
  bool has_last_look = false;
  bool hint = false;  ///< whether the hint for the first use is shown
};

/// Returns the path without its folders.
std::string base_name(const std::string& path);
/// Opens the dialog for a purpose, in its present folder.
void ask_for_files(FileDialog& dialog, FilePurpose purpose);

}  // namespace skde::view::ui
