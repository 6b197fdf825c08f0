#include "fuzz/splat_fuzzing.hpp"
#include "io/points/splats/splat_format_files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  skde::fuzz::read_splats_both_ways(skde::io::read_sog, bytes, count);
  return 0;
}
