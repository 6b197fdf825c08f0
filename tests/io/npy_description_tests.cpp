// An array and the JSON description beside it.

#include <sys/stat.h>

#include "io/reader_support.hpp"
#include "io/volume_support.hpp"
#include "support/thrown_error.hpp"
#include "system/host_memory.hpp"

using namespace skde;
using namespace skde::test;

namespace {

/// Writes an array of 3 x 4 x 5 with its description, and returns its path.
std::string written_array(const TemporaryFolder& folder) {
  std::string path = folder.path("a.npy");
  io::volume_format_for(path).write(path, marked_volume<float>(odd_grid({3, 4, 5})),
                                    full_metadata());
  return path;
}

void check_description_refused(const TemporaryFolder& folder, const char* reason) {
  check_error([&] { io::read_volume(folder.path("a.npy")); }, ErrorKind::input,
              {"a.npy.json", reason});
  check_error([&] { io::read_volume_head(folder.path("a.npy")); }, ErrorKind::input,
              {"a.npy.json", reason});
}

}  // namespace

TEST_CASE("NPY: the description leaves the JSON of the same name alone") {
  const TemporaryFolder folder;
  folder.file("a.json", "the user's own");
  const std::string path = written_array(folder);
  CHECK(content_of(folder.path("a.json")) == "the user's own");
  CHECK(folder.names() == std::vector<std::string>{"a.json", "a.npy", "a.npy.json"});
  CHECK(io::read_volume(path).volume.grid() == odd_grid({3, 4, 5}));
  CHECK(io::read_volume_head(path).grid == odd_grid({3, 4, 5}));
  CHECK(io::volume_format_for(path).companion == ".json");
}

TEST_CASE("NPY: where the array cannot be put in place, the older description stays") {
  for (const bool older : {true, false}) {
    const TemporaryFolder folder;
    std::filesystem::create_directories(folder.path("a.npy/in the way"));
    if (older) folder.file("a.npy.json", "older");
    const Error error = thrown_error([&] { written_array(folder); });
    CHECK(error.kind() == ErrorKind::output);
    CHECK(content_of(folder.path("a.npy.json")) == (older ? "older" : ""));
    CHECK(folder.names().size() == (older ? 2 : 1));
  }
}

TEST_CASE("NPY: a description of another array is refused") {
  const TemporaryFolder folder;
  written_array(folder);
  folder.file("a.npy.json", "{\"shape\": [5, 4, 4]}");
  check_description_refused(folder, "'shape'");
}

TEST_CASE("NPY: a hostile description is refused: deep, long, or no file") {
  const TemporaryFolder folder;
  written_array(folder);
  const std::int64_t before = peak_memory();
  folder.file("a.npy.json", "{\"H\": " + std::string(1000000, '['));
  check_description_refused(folder, "nested more than 64 deep");
  folder.file("a.npy.json", "{\"H\": " + std::string(500000, '[') + std::string(500000, ']') + "}");
  check_description_refused(folder, "nested more than 64 deep");
  folder.file("a.npy.json", "{\"H\": [" + std::string(5000000, '1') + "]}");
  check_description_refused(folder, "larger than 1 MiB");
  std::filesystem::remove(folder.path("a.npy.json"));
  REQUIRE(mkfifo(folder.path("a.npy.json").c_str(), 0600) == 0);
  check_description_refused(folder, "not a regular file");
  CHECK(peak_memory() - before < std::int64_t{100} << 20);
}

TEST_CASE("NPY: bytes behind the values are refused, and an array alone is not placed") {
  const TemporaryFolder folder;
  const std::string path = written_array(folder);
  std::filesystem::remove(folder.path("a.npy.json"));
  CHECK_FALSE(io::read_volume(path).placed);
  CHECK_FALSE(io::read_volume_head(path).placed);
  folder.file("a.npy", content_of(path) + "x");
  check_error([&] { io::read_volume(path); }, ErrorKind::input, {"a.npy", "has 1 bytes after"});
}
