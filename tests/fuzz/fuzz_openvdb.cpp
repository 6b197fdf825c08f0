#include "fuzz/volume_fuzzing.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  skde::fuzz::read_volume_bytes_sandboxed("openvdb", bytes, count);
  return 0;
}
