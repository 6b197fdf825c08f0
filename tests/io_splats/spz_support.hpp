#pragma once

#include <string>

#include "io/bytes/packing.hpp"
#include "io/points/splats/splat_format_files.hpp"
#include "io/text/text_file.hpp"
#include "splat_comparison.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

namespace skde::test {

/// The bytes of a file of these splats.
inline std::string spz_bytes(const io::SplatCloud& splats, int version) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.spz");
  io::write_spz(path, splats, quiet, version);
  CHECK(folder.names() == std::vector<std::string>{"a.spz"});
  return io::read_text(path);
}

inline std::string unpacked(const std::string& bytes) {
  io::BufferedSource source = io::decompressed(io::BufferedSource(io::memory_source("a", bytes)));
  return io::read_whole(source, Error(ErrorKind::input, "too large"));
}

}  // namespace skde::test
