#include "fuzz/volume_fuzzing.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "core/error.hpp"
#include "io/volumes/apart_reading.hpp"

namespace skde::fuzz {
namespace {

/// A file in memory; the readers of volumes open paths.
class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* bytes, std::size_t count)
      : descriptor_(memfd_create("volume", MFD_CLOEXEC)) {
    if (descriptor_ < 0 || write(descriptor_, bytes, count) != static_cast<ssize_t>(count))
      std::abort();
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }

  /// Also for another process.
  std::string path() const {
    return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(descriptor_);
  }

 private:
  int descriptor_;
};

template <class Read>
void check_volume(const std::uint8_t* bytes, std::size_t count, const Read& read) {
  const MemoryFile file(bytes, count);
  try {
    const Volume volume = read(file.path()).volume;
    const auto cells = static_cast<std::size_t>(volume.grid().cells());
    const std::size_t values = volume.precision() == Precision::f32
                                   ? volume.values<float>().size()
                                   : volume.values<double>().size();
    if (cells == 0 || values != cells) std::abort();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input && error.kind() != ErrorKind::resources) std::abort();
    if (std::strchr(error.what(), '\n') != nullptr) std::abort();
  }
}

}  // namespace

void read_volume_bytes(io::VolumeFile (*read)(const std::string& path), const std::uint8_t* bytes,
                       std::size_t count) {
  check_volume(bytes, count, read);
}

void read_volume_bytes_apart(const std::string& format, const std::uint8_t* bytes,
                             std::size_t count) {
  constexpr double kPatience = 2;  // less than the fuzzer has
  setenv("SKDE_LIBEXEC", SKDE_READER_FOLDER, 1);
  check_volume(bytes, count, [&](const std::string& path) {
    return io::read_volume_apart(io::volume_format_for(path, format), path, kPatience);
  });
}

}  // namespace skde::fuzz
