// A file of points, splats or a volume; CMakeLists.txt has the call of each parser.

#include "fuzz/point_fuzzing.hpp"
#include "fuzz/splat_fuzzing.hpp"
#include "fuzz/volume_fuzzing.hpp"
#include "io/points/splats/splat_format_files.hpp"
#include "io/volumes/image_file.hpp"
#include "io/volumes/volume_files.hpp"

using namespace skde::fuzz;
using namespace skde::io;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  SKDE_FUZZ_CALL;
  return 0;
}
