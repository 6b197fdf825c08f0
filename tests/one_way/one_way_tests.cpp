// One way through the program: a request opens its files, computes moments, chooses bandwidths,
// makes grids and ranks offers only once. The files that each command opens are in
// opened_once_tests.py.

#include <fstream>

#include "estimate/density_facts.hpp"
#include "estimate/plan/memory_plan.hpp"
#include "estimate/session.hpp"
#include "estimate/stream/slice_sink.hpp"
#include "io/points/point_writer.hpp"
#include "one_way/counted_calls.hpp"
#include "skde/program.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/catch.hpp"
#include "support/silent.hpp"
#include "support/temporary_folder.hpp"

using namespace skde;
using namespace skde::test;

namespace {

class NoSink final : public SliceSink {
 public:
  void begin(const DensityFacts&) override {}
  void take(std::int64_t, const Volume&, Progress&) override {}
  void finish(const DensityFacts&, Progress&) override {}
};

/// Returns the counted calls that `work` makes.
template <class Work>
CountedCalls calls_of(const Work& work) {
  reset_counted_calls();
  work();
  return counted_calls();
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
  CountedCalls stream(const DensityRequest& request) {
    return calls_of([&] {
      NoSink sink;
      session.stream(request, sink, silent);
    });
  }
  std::size_t openings(const CountedCalls& calls) const {
    return calls.openings_of(files.paths.front());
  }
};

constexpr std::int64_t kLittle = kProgramBytes + (std::int64_t{6} << 20);

}  // namespace

TEST_CASE("skde density opens its input once and takes each step once") {
  const TemporaryFolder folder;
  const CloudFiles files = text_file(folder.path("a.xyz"), gaussian_cloud(3000).view());
  const std::string input = files.paths.front();
  for (const std::vector<std::string>& grid :
       {std::vector<std::string>{"--dims", "20"},
        {"--dims", "20,20,20"},
        {"--spacing", "0.5", "--bounds", "-3,-3,-3:3,3,3"}}) {
    std::vector<std::string> arguments{"density", input, "--quiet", "-o", folder.path("a.vti")};
    arguments.insert(arguments.end(), grid.begin(), grid.end());
    const CountedCalls calls = calls_of([&] { CHECK(cli::run_program(arguments) == 0); });
    CHECK(calls.openings_of(input) == 1);
    CHECK(calls.rankings == 1);
    CHECK(calls.moments == 1);
    CHECK(calls.moment_samples == 3000);
    CHECK(calls.bandwidths == 1);
    CHECK(calls.grids == 1);
  }
}

TEST_CASE("a second density of a session reads nothing and takes no moments") {
  OpenFile open(3000);
  const CountedCalls first = open.stream(cube_request(16, 0.5));
  CHECK(open.openings(first) == 1);
  CHECK(first.moments == 1);
  const CountedCalls second = open.stream(cube_request(16, 0.7));
  CHECK(open.openings(second) == 0);
  CHECK(second.moments == 0);
  CHECK(second.bandwidths == 1);
  CHECK(second.grids == 1);
}

TEST_CASE("a cloud too large for memory is opened once and read twice, its moments in one pass") {
  OpenFile open(400000, kLittle);
  const CountedCalls calls = open.stream(cube_request(16, 0.5));
  CHECK(open.openings(calls) == 1);
  CHECK(calls.moment_samples == 400000);
  CHECK(calls.bandwidths == 1);
  CHECK(calls.grids == 1);
}

TEST_CASE("a cloud too large for memory is read once where kernel and bounds are given") {
  OpenFile open(400000, kLittle);
  DensityRequest request = cube_request(16, 0.5);
  request.bandwidth.bandwidth = Vec3{0.5, 0.5, 0.5};
  const CountedCalls calls = open.stream(request);
  CHECK(open.openings(calls) == 1);
  CHECK(calls.moment_samples == 400000);
  CHECK(calls.bandwidths == 1);
  CHECK(calls.grids == 1);
}

TEST_CASE("offers choose bandwidth and grid once, and open nothing that is open") {
  OpenFile open(3000);
  CHECK(open.openings(open.stream(cube_request(16, 0.5))) == 1);
  const CountedCalls calls =
      calls_of([&] { open.session.plan(cube_request(16, 0.5, ""), silent); });
  CHECK(open.openings(calls) == 0);
  CHECK(calls.moments == 0);
  CHECK(calls.grids == 1);
  CHECK(calls.rankings == 1);
}

TEST_CASE("files are read ahead for the offer that ranks first, without another ranking") {
  constexpr std::size_t kSamples = 400000;  // stated in the header, so no rows are read to count
  const TemporaryFolder folder;
  io::PointWriter writer(folder.path("a.npy"), kSamples, {"x", "y", "z"});
  writer.write(gaussian_cloud(kSamples).view());
  writer.finish();
  Session session({.memory_limit = kLittle});
  DensityRequest request = cube_request(16, 0.5, "");
  request.bandwidth.bandwidth = Vec3{0.5, 0.5, 0.5};
  const CountedCalls calls = calls_of([&] {
    session.open_in_parts({{folder.path("a.npy")}, {}, io::NonFinite::drop});
    NoSink sink;
    session.stream(request, sink, silent);
  });
  CHECK(calls.openings_of(folder.path("a.npy")) == 1);
  CHECK(calls.rankings == 1);
}

TEST_CASE("categories have their moments taken and their grid made once") {
  const TemporaryFolder folder;
  const std::string input = folder.path("a.csv");
  {
    std::ofstream file(input);
    file << "x,y,z,kind\n";
    const Samples cloud = gaussian_cloud(3000);
    for (std::size_t i = 0; i < 3000; ++i)
      file << cloud.xyz[3 * i] << ',' << cloud.xyz[3 * i + 1] << ',' << cloud.xyz[3 * i + 2] << ','
           << i % 3 << '\n';
  }
  const CountedCalls calls = calls_of([&] {
    CHECK(cli::run_program({"density", input, "--by", "kind", "--dims", "20", "--quiet", "-o",
                            folder.path("a.vti")}) == 0);
  });
  CHECK(calls.openings_of(input) == 1);
  CHECK(calls.moment_samples == 3000);
  CHECK(calls.grids == 1);
  CHECK(calls.rankings == 3);
}
