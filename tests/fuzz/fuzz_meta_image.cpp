#include "fuzz/volume_fuzzing.hpp"
#include "io/volumes/volume_files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  skde::fuzz::read_volume_bytes(skde::io::read_meta_image, bytes, count);
  return 0;
}
