#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "service/answer/http_message.hpp"

namespace skde::service {

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
