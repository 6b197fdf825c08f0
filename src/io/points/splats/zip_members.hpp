#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/bytes/output_file.hpp"

namespace skde::io {

/// A member of a ZIP archive in memory, as its directory at the end describes it.
struct ZipMember {
  std::string_view name;  ///< any bytes; never a path
  std::string_view packed;
  std::uint64_t bytes = 0;  ///< unpacked, as declared
  bool is_deflated = false;
};

/// Returns the members of an archive in memory, which must outlive them. Unlike open_zip_member(),
/// it reads archives whose members state their lengths behind their bytes. Throws Error(input) that
/// names the file if the archive is broken or a member is encrypted or packed in another way.
std::vector<ZipMember> zip_members(std::string_view archive, const std::string& file);

/// Returns the bytes of a member. Throws Error(input) if they are not as many as declared, or their
/// checksum differs, or if more than `most` are declared, before memory is asked for.
std::string unpacked_member(const ZipMember& member, std::uint64_t most, const std::string& file);

/// A member to be written.
struct NewZipMember {
  std::string name, bytes;
};
/// Appends an archive of stored members, dated 1980, so that equal members make equal archives.
/// Throws Error(output) if writing fails or the archive would exceed 4 GiB.
void write_zip(OutputFile& file, const std::vector<NewZipMember>& members);

}  // namespace skde::io
