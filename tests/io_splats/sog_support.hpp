#pragma once

#include <functional>
#include <string>
#include <vector>

#include "io/bytes/byte_source.hpp"
#include "io/points/splats/splat_formats.hpp"
#include "io/points/splats/zip_members.hpp"
#include "support/temporary_folder.hpp"

namespace skde::test {

/// Writes splats in the format of this file name, and returns them as they are read again.
inline io::SplatCloud written_and_read(const io::SplatCloud& splats, const std::string& name) {
  const TemporaryFolder folder;
  NoProgress unwatched;
  io::write_splats(folder.path(name), splats, unwatched);
  return io::read_splats(io::BufferedSource(io::open_source(folder.path(name))));
}

/// The members of an archive, unpacked.
inline std::vector<io::NewZipMember> members_of(const std::string& archive) {
  std::vector<io::NewZipMember> members;
  for (const io::ZipMember& member : io::zip_members(archive, "a.sog"))
    members.push_back({std::string(member.name), io::unpacked_member(member, 1 << 30, "a.sog")});
  return members;
}

/// An archive of these members.
inline std::string archive_of(const std::vector<io::NewZipMember>& members) {
  const TemporaryFolder folder;
  io::OutputFile file(folder.path("a.zip"));
  io::write_zip(file, members);
  file.commit();
  return content_of(folder.path("a.zip"));
}

/// The member of this name.
inline std::string& bytes_in(std::vector<io::NewZipMember>& members, const std::string& name) {
  for (io::NewZipMember& member : members)
    if (member.name == name) return member.bytes;
  members.push_back({name, ""});
  return members.back().bytes;
}

/// Reads the bytes of a file of splats.
inline io::SplatCloud read_splat_bytes(const std::string& name, std::string_view bytes) {
  return io::read_splats(io::BufferedSource(io::memory_source(name, bytes)));
}

}  // namespace skde::test
