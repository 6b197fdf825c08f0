#include "fuzz/volume_fuzzing.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/report/error.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/meshes/mesh_formats.hpp"
#include "io/module/sandboxed_reader.hpp"

namespace skde::fuzz {
namespace {

/// A file on disk, because libhdf5 opens only files that have a name.
class ScratchFile {
 public:
  ScratchFile(const std::uint8_t* bytes, std::size_t count, const std::string& extension = "")
      : path_("/tmp/skde-fuzz-XXXXXX" + extension) {
    const int descriptor = mkstemps(path_.data(), static_cast<int>(extension.size()));
    if (descriptor < 0 || write(descriptor, bytes, count) != static_cast<ssize_t>(count))
      std::abort();
    close(descriptor);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile() { unlink(path_.c_str()); }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Aborts unless `read` returns true or throws an error of one line that tells of the file.
template <class Read>
void check(const Read& read) {
  try {
    if (!read()) std::abort();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input && error.kind() != ErrorKind::resources) std::abort();
    if (std::strchr(error.what(), '\n') != nullptr) std::abort();
  }
}

bool is_whole(const Volume& volume) {
  const auto cells = static_cast<std::size_t>(volume.grid().cells());
  const std::size_t values = volume.precision() == Precision::f32 ? volume.values<float>().size()
                                                                  : volume.values<double>().size();
  return cells > 0 && values == cells;
}

}  // namespace

void read_mesh_bytes(const std::string& extension, const std::uint8_t* bytes, std::size_t count) {
  const ScratchFile file(bytes, count, extension);
  check([&] {
    const TriangleMesh mesh = io::read_mesh(file.path());
    return std::ranges::all_of(mesh.triangles, [&](const auto& triangle) {
      return std::ranges::all_of(triangle, [&](auto k) { return k < mesh.points.size(); });
    });
  });
}

void read_volume_bytes(io::VolumeFile (*read)(const std::string& path, const io::OpenFiles& files),
                       const std::uint8_t* bytes, std::size_t count) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), count);
  const io::ReopenedFile file(io::BufferedSource(io::memory_source("fuzz", text)));
  check([&] { return is_whole(read(file.path(), {}).volume); });
}

void read_volume_bytes_sandboxed(const std::string& format, const std::uint8_t* bytes,
                                 std::size_t count) {
  constexpr double kPatience = 2;  // seconds; less than the fuzzer's limit
  setenv("SKDE_LIBEXEC", SKDE_READER_FOLDER, 1);
  const ScratchFile file(bytes, count);
  check([&] {
    const io::VolumeFormat& as = io::volume_format_for(file.path(), format);
    return is_whole(io::read_volume_sandboxed(as, file.path(), kPatience).volume);
  });
}

}  // namespace skde::fuzz
