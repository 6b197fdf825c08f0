#include <cstdlib>
#include <cstring>

#include "core/report/error.hpp"
#include "io/volumes/volume_message.hpp"

/// Reads the message of a process that read a broken volume, whatever happened to that process.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace skde;
  constexpr std::int64_t kMostCells = 1 << 20;  // under a sanitizer, reserved memory is used
  std::size_t done = 0;
  const io::TakeBytes take = [&](char* to, std::size_t wanted) {
    if (wanted > count - done) return false;
    std::memcpy(to, bytes + done, wanted);
    done += wanted;
    return true;
  };
  try {
    if (io::receive_head(take).grid.cells() > kMostCells) return 0;
    done = 0;
    if (io::receive_volume(take, "fuzz").volume.grid().cells() <= 0) std::abort();
  } catch (const io::BrokenMessage&) {
    return 0;
  } catch (const Error&) {
    return 0;
  }
  return 0;
}
