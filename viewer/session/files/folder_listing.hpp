#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace skde::view {

/// A file or a folder in a folder.
struct FolderEntry {
  std::string name;
  bool is_folder = false;
  std::uint64_t bytes = 0;   ///< of a file
  std::int64_t written = 0;  ///< when it last changed, in seconds since 1970
};

/// Returns what a folder holds, folders first, by name with numbers in their order: a2 before a10.
/// Hidden entries are left out, and so are files that end in none of the extensions (".ply", in
/// lower case) if there are any; those of packed files (".gz") do not count. Throws Error(input) if
/// the folder cannot be listed.
std::vector<FolderEntry> list_folder(const std::string& folder,
                                     std::span<const std::string> extensions);

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
