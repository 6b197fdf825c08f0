#include <cstdint>
#include <string_view>
#include <vector>

#include "core/report/error.hpp"
#include "io/points/partial_sums_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace skde;
  const std::string_view text(reinterpret_cast<const char*>(bytes), count);
  try {
    std::vector<std::int64_t> sums;
    const PartialHead head = io::add_partial_sums(io::memory_source("fuzz", text), sums);
    check_pieces(head.cloud, false);
    static_cast<void>(head.cloud.moments.moments().covariance());
  } catch (const Error&) {
    return 0;
  }
  return 0;
}
