#include "fuzz/volume_fuzzing.hpp"
#include "io/volumes/volume_files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  skde::fuzz::read_volume_bytes(
      [](const std::string& path) { return skde::io::read_vti(path, {}); }, bytes, count);
  return 0;
}
