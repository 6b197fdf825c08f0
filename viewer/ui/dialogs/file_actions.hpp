#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "viewer/session/column_choice.hpp"
#include "viewer/session/files/file_purpose.hpp"
#include "viewer/session/remedy.hpp"

namespace skde::view::ui {

/// Files that the user has chosen.
struct ChosenFiles {
  FilePurpose purpose = FilePurpose::open;
  std::vector<std::string> paths;  ///< absolute
};

/// What the user asks of files and of the whole view in a frame.
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

}  // namespace skde::view::ui
