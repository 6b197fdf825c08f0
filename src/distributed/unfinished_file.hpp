#pragma once

#include <string>

namespace skde {

/// A file of this rank that signals remove, from now on until the end of this object: launchers end
/// the other ranks by one when a rank was killed. There is one at a time.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const std::string& path);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;
};

}  // namespace skde
