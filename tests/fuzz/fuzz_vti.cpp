#include "fuzz/volume_fuzzing.hpp"
#include "io/volumes/volume_files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  skde::fuzz::read_volume_bytes(
      [](const std::string& path, const skde::io::OpenFiles& files) {
        return skde::io::read_vti(path, {}, files);
      },
      bytes, count);
  return 0;
}
