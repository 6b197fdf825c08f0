#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/points/splats/zip_members.hpp"

namespace skde::io {

/// Returns true if these may be the first bytes of the meta.json of a SOG folder.
bool is_sog_meta(std::string_view head);

/// The files that make up SOG: members of an archive, or those beside a meta.json.
class SogFiles {
 public:
  /// `path`: of the archive, or of the meta.json whose bytes these are. Both must outlive this
  /// object. Throws Error(input) if the archive is broken, or the meta.json is not a file.
  SogFiles(const std::string& path, std::string_view bytes);

  std::string meta() const;
  /// Returns the bytes of a file of this name. Throws Error(input) if there is none, if it holds
  /// more than `most`, or if the name of a file in a folder is a path.
  std::string read(const std::string& name, std::uint64_t most) const;
  /// Returns the size of a file as it is stored; 0 if it belongs to an archive or cannot be read.
  std::uint64_t bytes_beside(const std::string& name) const;

 private:
  const std::string& path_;
  std::string_view bytes_;
  bool is_archive_;
  std::vector<ZipMember> members_;  ///< of an archive
};

/// Throws Error(input): the file is broken or not SOG.
[[noreturn]] void refuse_sog(const std::string& file, const std::string& why);

}  // namespace skde::io
