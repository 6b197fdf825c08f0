#pragma once

#include <string>
#include <string_view>

#include "io/bytes/byte_source.hpp"

namespace skde::io {

/// A path by which libraries and other programs open the bytes of a source: those of its file or,
/// if it is none, of a copy in memory.
class ReopenedFile {
 public:
  /// The source is at its first byte. Throws Error(resources) if a copy does not fit into memory
  /// and, with the name of a format, Error(input) if it has more than 1 GiB.
  explicit ReopenedFile(BufferedSource source, std::string_view format = {});
  ReopenedFile(const ReopenedFile&) = delete;
  ReopenedFile& operator=(const ReopenedFile&) = delete;
  ~ReopenedFile();

  std::string path() const;
  bool is_copy() const { return copy_ >= 0; }

 private:
  BufferedSource source_;
  int copy_ = -1;
};

}  // namespace skde::io
