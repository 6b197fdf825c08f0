#include "fuzz/point_fuzzing.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  skde::fuzz::read_points_both_ways("fuzz.fits", bytes, count);
  return 0;
}
