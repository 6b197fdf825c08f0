#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "service/http/http_message.hpp"

namespace skde::service {

/// A file of the server, and files beside it, open: whatever is put at their paths meanwhile, these
/// are read. Readers go by names, and look for one file beside another; so a folder of its own has
/// links by these names, which lead to the descriptors of this process (/proc/PID/fd/N), whose user
/// workers are as well.
class ServerFile {
 public:
  /// Makes the folder. Throws Problem (507).
  ServerFile(std::string folder, const std::string& name, std::shared_ptr<const OpenFile> file);
  ~ServerFile();
  ServerFile(const ServerFile&) = delete;
  ServerFile& operator=(const ServerFile&) = delete;

  void add_beside(const std::string& name, std::shared_ptr<const OpenFile> file);
  const std::string& path() const { return path_; }
  const std::shared_ptr<const OpenFile>& file() const { return files_.front(); }

 private:
  void link(const std::string& name, std::shared_ptr<const OpenFile> file);

  std::string folder_, path_;
  std::vector<std::shared_ptr<const OpenFile>> files_;
};
using ServerFilePtr = std::shared_ptr<const ServerFile>;

/// The folders below which whoever started the service allows files to be read.
class AllowedFolders {
 public:
  /// Error(unsupported) where the system cannot keep to them (openat2, Linux 5.6).
  explicit AllowedFolders(std::vector<std::string> folders);
  /// The file at this path without links, and those beside it that are there, with links in
  /// `place`; null where it is no file below one of the folders. `beside` has their names; it is
  /// given the link to the first one, as what lies at the path may be no file any more. Each time
  /// the system itself takes care that no link leads out of the folders.
  using NamesBeside = std::function<std::vector<std::string>(const std::string& opened)>;
  ServerFilePtr open(const std::string& path, const NamesBeside& beside,
                     const std::string& place) const;

 private:
  std::shared_ptr<const OpenFile> open_one(const std::string& path) const;

  std::vector<std::string> folders_;
};

}  // namespace skde::service
