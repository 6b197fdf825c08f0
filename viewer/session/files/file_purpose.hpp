#pragma once

#include <string>
#include <vector>

namespace skde::view {

/// What a file is chosen for.
enum class FilePurpose { open, open_view, save_view, volume, surface, samples, picture };

/// The files that serve a purpose, and the words for it.
struct FileUse {
  FilePurpose purpose;
  const char* title;  ///< of the dialog
  const char* verb;   ///< on its button
  const char* name;   ///< proposed for a new file; empty: files that exist are opened
  /// Returns the extensions of such files, in lower case, with dots.
  std::vector<std::string> (*extensions)();

  bool saves() const { return name[0] != '\0'; }
};

const FileUse& file_use(FilePurpose purpose);

}  // namespace skde::view
