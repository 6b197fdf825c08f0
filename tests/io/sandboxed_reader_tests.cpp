// Volumes read by a separate process, and what happens if that process fails or never ends.

#include "io/bytes/reader_program.hpp"
#include "io/module/sandboxed_reader.hpp"

#include <cstdlib>
#include <filesystem>
#include <random>

#include "io/reader_support.hpp"
#include "io/volume_support.hpp"
#include "io/volumes/volume_message.hpp"
#include "system/stop_watch.hpp"

using namespace skde;
using namespace skde::test;

namespace {

const io::VolumeFormat& netcdf() { return io::volume_format_for("", "netcdf"); }

/// Replaces the program that reads by a shell script as long as it lives.
class FakeReader {
 public:
  explicit FakeReader(const std::string& commands) {
    namespace fs = std::filesystem;
    const std::string path = folder_.file("skde-reader", "#!/bin/sh\n" + commands + "\n");
    fs::permissions(path, fs::perms::owner_all);
    setenv("SKDE_LIBEXEC", fs::path(path).parent_path().c_str(), 1);
  }
  FakeReader(const FakeReader&) = delete;
  FakeReader& operator=(const FakeReader&) = delete;
  ~FakeReader() { unsetenv("SKDE_LIBEXEC"); }

 private:
  TemporaryFolder folder_;
};

void check_end(const std::string& commands, const std::string& reason, double patience = 20) {
  const FakeReader reader(commands);
  check_error([&] { io::read_volume_sandboxed(netcdf(), "a.nc", patience); }, ErrorKind::input,
              {"a.nc: cannot be read as netcdf: its reader", reason, "fetch it again"});
  check_error([&] { io::read_head_sandboxed(netcdf(), "a.nc", patience); }, ErrorKind::input,
              {"a.nc: cannot be read as netcdf: its reader", reason});
}

std::string message_of(const std::function<void(const io::GiveBytes&)>& send) {
  std::string bytes;
  send([&](std::string_view piece) { bytes += piece; });
  return bytes;
}

io::TakeBytes bytes_from(std::string_view bytes) {
  return [bytes](char* to, std::size_t count) mutable {
    if (bytes.size() < count) return false;
    std::memcpy(to, bytes.data(), count);
    bytes.remove_prefix(count);
    return true;
  };
}

}  // namespace

TEST_CASE("A reader that crashes, runs without end or talks nonsense is one error of its file") {
  check_end("kill -SEGV $$", "ended by signal 11 (Segmentation fault)");
  check_end("kill -XCPU $$", "took too long");
  check_end("exit 7", "ended early, with code 7");
  check_end("head -c 100000 /dev/zero", "");
  check_end("head -c 100000 /dev/zero | tr '\\0' '\\377'", "");
  const StopWatch watch;
  check_end("sleep 100", "took too long and was stopped", 0.2);
  check_end("sleep 100 & printf x; exec >&-; sleep 100", "took too long and was stopped", 0.2);
  CHECK(watch.seconds() < 30);
}

TEST_CASE("A reader that is not there is named") {
  const TemporaryFolder empty;
  setenv("SKDE_LIBEXEC", empty.path("nowhere").c_str(), 1);
  check_error([] { io::read_volume_sandboxed(netcdf(), "a.nc", 1); }, ErrorKind::unsupported,
              {"a.nc", "skde-reader", "SKDE_LIBEXEC"});
  unsetenv("SKDE_LIBEXEC");
}

TEST_CASE("What a reader may take follows the size of its file") {
  const TemporaryFolder folder;
  const auto small = io::reading_limits(folder.file("a", "x")),
             large = io::reading_limits(folder.file("b", std::string(4 << 20, 'x')));
  CHECK(small.seconds < large.seconds);
  CHECK(small.bytes <= std::uint64_t{1100} << 20);
  CHECK(large.bytes >= small.bytes);
}

TEST_CASE("Messages bring heads, values and errors to the last bit") {
  const Grid grid = odd_grid({7, 4, 5});
  const Volume volume = marked_volume<double>(grid);
  const std::string sent = message_of([&](const io::GiveBytes& give) {
    io::send_volume(give, {marked_volume<double>(grid), full_metadata(), false});
  });
  const io::VolumeFile file = io::receive_volume(bytes_from(sent), "a");
  CHECK(file.volume.grid() == grid);
  CHECK_FALSE(file.placed);
  CHECK(std::ranges::equal(file.volume.values<double>(), volume.values<double>()));
  CHECK(file.metadata.command_line == full_metadata().command_line);
  CHECK(file.metadata.H == full_metadata().H);
  CHECK(io::receive_head(bytes_from(sent)).grid == grid);
  const std::string error = message_of([](const io::GiveBytes& give) {
    io::send_error(give, Error(ErrorKind::resources, "too large", {"dims", "take less"}));
  });
  check_error([&] { io::receive_head(bytes_from(error)); }, ErrorKind::resources,
              {"too large", "take less", "[dims]"});
}

TEST_CASE("Messages that are cut short or changed anywhere do no harm") {
  const std::string sent = message_of([](const io::GiveBytes& give) {
    io::send_volume(give, {marked_volume<float>(odd_grid({3, 2, 2})), full_metadata(), true});
  });
  const auto harmless = [](const std::string& bytes) {
    try {
      io::receive_volume(bytes_from(bytes), "a");
      return false;
    } catch (const io::BrokenMessage&) {
      return true;
    } catch (const Error&) {
      return true;
    }
  };
  for (std::size_t kept = 0; kept < sent.size(); ++kept) CHECK(harmless(sent.substr(0, kept)));
  std::mt19937 random(7);
  for (int change = 0; change < 5000; ++change) {
    std::string other = sent;
    other[random() % (sent.size() - 48)] = static_cast<char>(random());
    harmless(other);
  }
}

#if SKDE_HAS_NETCDF
TEST_CASE("A NetCDF file that libnetcdf reads without end, or that crashes it, is an error") {
  // HDF5 1.14 no longer crashes: it reads other coordinates.
  check_error([] { io::read_volume(SKDE_FUZZ_CORPUS "/netcdf/crash.nc"); }, ErrorKind::input,
              {"crash.nc: cannot be read as "});
  const std::string path = SKDE_FUZZ_CORPUS "/netcdf/without_end.nc";
  check_error([&] { io::read_volume_sandboxed(netcdf(), path, 0.5); }, ErrorKind::input,
              {"without_end.nc", "took too long"});
}
#endif

#if SKDE_HAS_OPENVDB
TEST_CASE("A file whose sizes are absurd neither ends the program nor takes its memory") {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.vdb");
  io::volume_format_for(path).write(path, marked_volume<float>(odd_grid({7, 4, 5})),
                                    full_metadata());
  const std::string good = content_of(path);
  CHECK(io::read_volume(path).volume.grid().dims == std::array<std::int64_t, 3>{7, 4, 5});
  for (std::size_t at = 20; at < good.size(); at += good.size() / 40) {
    folder.file("a.vdb", std::string(good).replace(at, 4, "\xff\xff\xff\x7f"));
    try {
      io::read_volume(path);
    } catch (const Error& error) {
      CHECK(error.kind() != ErrorKind::output);
    }
  }
}
#endif
