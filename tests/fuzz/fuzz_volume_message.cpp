#include <cstdlib>
#include <cstring>

#include "core/error.hpp"
#include "io/volumes/volume_message.hpp"

/// What a process that read a broken volume says, whatever became of it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace skde;
  std::size_t done = 0;
  const io::TakeBytes take = [&](char* to, std::size_t wanted) {
    if (wanted > count - done) return false;
    std::memcpy(to, bytes + done, wanted);
    done += wanted;
    return true;
  };
  try {
    const Volume volume = io::receive_volume(take, "fuzz").volume;
    if (volume.grid().cells() <= 0) std::abort();
  } catch (const io::BrokenMessage&) {
    return 0;
  } catch (const Error& error) {
    return 0;
  }
  return 0;
}
