#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "service/answer/http_message.hpp"

namespace skde::service {

/// The folder of all data. Only one service at a time uses it.
class DataFolder {
 public:
  /// Makes the folder, locks it, and removes unfinished files. Throws Error(output) or
  /// Error(usage).
  explicit DataFolder(std::string path);
  ~DataFolder();
  DataFolder(const DataFolder&) = delete;
  DataFolder& operator=(const DataFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string database() const { return path_ + "/service.sqlite"; }
  std::string cloud(std::string_view id, std::string_view suffix) const;
  std::string incoming(std::string_view id) const;
  /// Path of an upload that no client knows of before it is complete.
  std::string arriving(std::string_view id) const;
  /// The folder in which a run reads its files, by the names that clients know, and writes.
  std::string work(std::uint64_t run) const;
  std::string result(std::string_view key) const;
  std::string results() const { return path_ + "/results"; }
  /// Folder of the links to a file of the server.
  std::string server_file(std::string_view id) const;
  /// Holds files that are being removed.
  std::string trash() const { return path_ + "/work/trash"; }
  std::string aside() const { return path_ + "/aside"; }
  /// Path of a file of "clouds" or "incoming" that no table lists.
  std::string aside(std::string_view part, std::string_view name) const;
  /// Moves files of "clouds" or "incoming" with unknown IDs there, as another table may list them.
  /// Removes incomplete ones. Returns how many were moved.
  std::size_t set_aside(const std::string& part,
                        const std::function<bool(std::string_view)>& known) const;
  /// Returns a path as workers see it, which start in this folder: without the name of the folder,
  /// which may not be UTF-8. Paths of other files stay as they are.
  std::string inside(const std::string& path) const;

 private:
  std::string path_;
  int lock_ = -1;
};

/// Renames a file on the same disk. Returns false on failure, also if a file of the new name exists
/// already; that file stays as it is.
bool move_file(const std::string& from, const std::string& to);
/// Syncs the bytes of a file, or the names in a folder, to the disk. Throws Problem (507).
void sync_path(const std::string& path);
/// Syncs a folder and all files in it to the disk. Throws Problem (507).
void sync_folder(const std::string& path);
/// Formats milliseconds since 1970 as "2026-01-31T12:00:00.000Z"; null for 0.
std::string time_text(std::int64_t milliseconds);
std::int64_t now_milliseconds();

/// Open descriptors of a file of the server and of files beside it, which are read even if the
/// paths are replaced meanwhile. Readers work with names, and look for files beside another.
/// Therefore a separate folder has links by these names to the descriptors of this process
/// (/proc/PID/fd/N). Workers can follow the links, as they run as the same user.
class ServerFile {
 public:
  /// Makes the folder. Throws Problem (507).
  ServerFile(std::string folder, const std::string& name, std::shared_ptr<const OpenFile> file);
  ~ServerFile();
  ServerFile(const ServerFile&) = delete;
  ServerFile& operator=(const ServerFile&) = delete;

  /// Adds a link to a file by this name.
  void add(const std::string& name, std::shared_ptr<const OpenFile> file);
  const std::string& path() const { return path_; }
  const std::shared_ptr<const OpenFile>& file() const { return files_.front(); }

 private:
  std::string folder_, path_;
  std::vector<std::shared_ptr<const OpenFile>> files_;
};
using ServerFilePtr = std::shared_ptr<const ServerFile>;

/// The folders from which the options allow the service to read.
class AllowedFolders {
 public:
  /// Throws Error(unsupported) if the system cannot enforce them (openat2, Linux 5.6).
  explicit AllowedFolders(std::vector<std::string> folders);
  /// Opens the file at this path, which has no links, and the existing files beside it, with links
  /// in `place`. Returns null if it is not a file below one of the folders. `beside` returns the
  /// names of the other files; its argument is the link to the opened file, as the path may lead
  /// elsewhere by then. The system itself checks each time that no link leads out of the folders.
  using NamesBeside = std::function<std::vector<std::string>(const std::string& opened)>;
  ServerFilePtr open(const std::string& path, const NamesBeside& beside,
                     const std::string& place) const;

 private:
  std::shared_ptr<const OpenFile> open_one(const std::string& path) const;

  std::vector<std::string> folders_;
};

}  // namespace skde::service
