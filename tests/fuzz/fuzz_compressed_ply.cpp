#include "fuzz/splat_fuzzing.hpp"
#include "io/points/splats/compressed_ply.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  skde::fuzz::read_splats_both_ways(skde::io::read_compressed_ply, bytes, count);
  return 0;
}
