#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace skde::view {

/// The files that were opened lately, those of the last first; several may be one cloud.
class RecentFiles {
 public:
  static constexpr std::size_t kMost = 12;

  /// Reads the list that the last session kept beside the recent view. A list that cannot be read
  /// counts as empty: it is a convenience.
  RecentFiles();
  /// Puts these files first and writes the list. Does nothing if they are there, or with pipes.
  void add(const std::vector<std::string>& paths);
  const std::vector<std::vector<std::string>>& lists() const { return lists_; }
  /// Returns true if no session has kept anything yet.
  bool is_first_use() const { return first_use_; }

 private:
  std::string path_;  ///< of the list; empty if there is no place for it
  std::vector<std::vector<std::string>> lists_;
  bool first_use_ = false;
};

/// Notices that files have changed on the disk. It looks at most once a second.
class FileWatch {
 public:
  /// Watches these files from now on. Does nothing if they are watched already.
  void watch(const std::vector<std::string>& paths);
  /// Returns true, once for each change, if a file was changed or replaced, and all of them have
  /// stayed as they are for a second: writers need time. `now` is in seconds on any clock.
  bool changed(double now);

 private:
  /// When a file last changed, and its length; nothing for one that is not there.
  using Stamp = std::optional<std::pair<std::filesystem::file_time_type, std::uintmax_t>>;
  std::vector<Stamp> stamps() const;

  std::vector<std::string> paths_;
  std::vector<Stamp> known_, seen_;  ///< when last told, and when last looked
  double looked_at_ = 0;
};

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
