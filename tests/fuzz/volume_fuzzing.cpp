#include "fuzz/volume_fuzzing.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "core/report/error.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/module/sandboxed_reader.hpp"

namespace skde::fuzz {
namespace {

/// A file on disk, because libhdf5 opens only files that have a name.
class ScratchFile {
 public:
  ScratchFile(const std::uint8_t* bytes, std::size_t count) {
    const int descriptor = mkstemp(path_.data());
    if (descriptor < 0 || write(descriptor, bytes, count) != static_cast<ssize_t>(count))
      std::abort();
    close(descriptor);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile() { unlink(path_.c_str()); }

  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/skde-fuzz-XXXXXX";
};

template <class Read>
void check_volume(const std::string& path, const Read& read) {
  try {
    const Volume volume = read(path).volume;
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

void read_volume_bytes(io::VolumeFile (*read)(const std::string& path, const io::OpenFiles& files),
                       const std::uint8_t* bytes, std::size_t count) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), count);
  const io::ReopenedFile file(io::BufferedSource(io::memory_source("fuzz", text)));
  check_volume(file.path(), [&](const std::string& path) { return read(path, {}); });
}

void read_volume_bytes_sandboxed(const std::string& format, const std::uint8_t* bytes,
                                 std::size_t count) {
  constexpr double kPatience = 2;  // seconds; less than the fuzzer's limit
  setenv("SKDE_LIBEXEC", SKDE_READER_FOLDER, 1);
  const ScratchFile file(bytes, count);
  check_volume(file.path(), [&](const std::string& path) {
    return io::read_volume_sandboxed(io::volume_format_for(path, format), path, kPatience);
  });
}

}  // namespace skde::fuzz
