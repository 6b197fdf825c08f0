#pragma once

#include <string>

namespace skde {

/// A file of this rank that signals remove, as long as this object lives. If a rank is killed,
/// launchers end the other ranks by a signal. There is one such file at a time.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const std::string& path);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;
};

}  // namespace skde
