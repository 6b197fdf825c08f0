// A request opens its files once. The linker leads calls of open() here (tests/CMakeLists.txt).

#include <fcntl.h>

#include <algorithm>
#include <fstream>
#include <mutex>

#include "estimate/session.hpp"
#include "estimate/values/density_facts.hpp"
#include "estimate/values/density_plan.hpp"
#include "estimate/values/memory_plan.hpp"
#include "estimate/values/slice_sink.hpp"
#include "io/points/point_writer.hpp"
#include "skde/program.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/catch.hpp"
#include "support/silent.hpp"
#include "support/temporary_folder.hpp"

using namespace skde;
using namespace skde::test;

namespace {

std::mutex mutex;  // readers have threads of their own
std::vector<std::string> opened;

class NoSink final : public SliceSink {
 public:
  void begin(const DensityFacts&) override {}
  void take(std::int64_t, const Volume&, Progress&) override {}
  void finish(const DensityFacts&, Progress&) override {}
};

/// Returns how often `work` opens the file for reading.
template <class Work>
std::ptrdiff_t openings(const std::string& path, const Work& work) {
  opened.clear();
  work();
  const std::lock_guard lock(mutex);
  return std::ranges::count(opened, path);
}

/// A file of this many samples, and a session that reads it in parts within this memory limit.
struct OpenFile {
  TemporaryFolder folder;
  CloudFiles files;
  Session session;

  explicit OpenFile(std::size_t samples, std::int64_t memory_limit = 0)
      : files(text_file(folder.path("a.xyz"), gaussian_cloud(samples).view())),
        session({.memory_limit = memory_limit}) {
    session.open_in_parts(files);
  }
  std::ptrdiff_t stream(const DensityRequest& request) {
    return openings(files.paths.front(), [&] {
      NoSink sink;
      session.stream(request, sink, silent);
    });
  }
};

constexpr std::int64_t kLittle = kProgramBytes + (std::int64_t{6} << 20);

std::ptrdiff_t openings_by_skde(const std::string& input, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"density", input, "--quiet", "--bandwidth", "2"});
  return openings(input, [&] { CHECK(cli::run_program(arguments) == 0); });
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the linker's names
extern "C" {
int __real_open(const char* path, int flags, mode_t mode);
int __wrap_open(const char* path, int flags, mode_t mode) {
  if ((flags & O_ACCMODE) == O_RDONLY) {
    const std::lock_guard lock(mutex);
    opened.emplace_back(path);
  }
  return __real_open(path, flags, mode);
}
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

TEST_CASE("skde density opens its input once, also by categories") {
  const TemporaryFolder folder;
  const std::string input = folder.path("a.csv");
  {
    std::ofstream file(input);
    file << "x,y,z,kind\n";
    const Samples cloud = gaussian_cloud(300);
    for (std::size_t i = 0; i < 300; ++i)
      file << cloud.xyz[3 * i] << ',' << cloud.xyz[3 * i + 1] << ',' << cloud.xyz[3 * i + 2] << ','
           << i % 3 << '\n';
  }
  const std::string output = folder.path("a.vti");
  CHECK(openings_by_skde(input, {"--dims", "8", "-o", output}) == 1);
  CHECK(openings_by_skde(input, {"--spacing", "0.5", "--bounds", "-3,-3,-3:3,3,3", "-o", output}) ==
        1);
  CHECK(openings_by_skde(input, {"--by", "kind", "--dims", "8", "-o", output}) == 1);
}

TEST_CASE("a session opens a file once, for any number of plans and densities") {
  OpenFile open(3000);
  CHECK(open.stream(cube_request(16, 0.5)) == 1);
  CHECK(open.stream(cube_request(16, 0.7)) == 0);
  CHECK(openings(open.files.paths.front(),
                 [&] { open.session.plan(cube_request(16, 0.5, ""), silent); }) == 0);
}

TEST_CASE("a cloud too large for memory is opened once, however often it is read") {
  OpenFile open(400000, kLittle);
  DensityRequest request = cube_request(16, 0.5);
  CHECK(open.stream(request) == 1);
  OpenFile again(400000, kLittle);
  request.bandwidth.bandwidth = Vec3{0.5, 0.5, 0.5};
  CHECK(again.stream(request) == 1);
}

TEST_CASE("a file that is read ahead for an offer is opened once") {
  constexpr std::size_t kSamples = 400000;  // stated in the header, so no rows are read to count
  const TemporaryFolder folder;
  const std::string path = folder.path("a.npy");
  io::PointWriter writer(path, kSamples, {"x", "y", "z"});
  writer.write(gaussian_cloud(kSamples).view());
  writer.finish();
  Session session({.memory_limit = kLittle});
  DensityRequest request = cube_request(16, 0.5, "");
  request.bandwidth.bandwidth = Vec3{0.5, 0.5, 0.5};
  CHECK(openings(path, [&] {
          session.open_in_parts({{path}, {}, io::NonFinite::drop});
          NoSink sink;
          session.stream(request, sink, silent);
        }) == 1);
}
