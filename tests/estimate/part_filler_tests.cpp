#include "estimate/read/part_filler.hpp"
#include "estimate/values/memory_plan.hpp"

#include <fmt/core.h>

#include <atomic>
#include <cmath>
#include <filesystem>

#include "core/cloud/synthetic_cloud.hpp"
#include "io/points/point_writer.hpp"
#include "support/catch.hpp"
#include "support/opened_sessions.hpp"
#include "support/silent.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"
#include "support/volume_comparison.hpp"

using namespace skde;
using namespace skde::test;

namespace {

constexpr std::size_t kWeightedRows = 60000;

/// Returns rows of x, y, z and a weight, some of which are not usable samples.
std::vector<double> rows_with_holes() {
  const Samples cloud = make_five_gaussians(3, 0, kWeightedRows);
  std::vector<double> rows;
  for (std::size_t i = 0; i < kWeightedRows; ++i) {
    const double* const p = cloud.xyz.data() + 3 * i;
    rows.insert(rows.end(), {p[0], i % 97 < 3 ? NAN : p[1], p[2],
                             i % 31 == 3 ? 0 : 0.5 + static_cast<double>(i % 5)});
  }
  return rows;
}

std::string write_rows(const std::string& path, const std::vector<double>& rows) {
  io::PointWriter writer(path, rows.size() / 4, {"x", "y", "z", "w"});
  writer.write(rows);
  writer.finish();
  return path;
}

const io::ColumnSelection kWeighted{{}, "4"};

struct Way {
  int threads = 1;
  std::size_t rooms = 2, most = 1000;
};

std::unique_ptr<io::CloudStream> stream_of(const std::vector<std::string>& paths, int threads,
                                           io::NonFinite non_finite = io::NonFinite::drop) {
  return std::make_unique<io::CloudStream>(paths, kWeighted, non_finite,
                                           io::ReadingPlan{{}, threads, 5000});
}

/// A filler with rooms of its own.
struct Filling {
  std::vector<std::unique_ptr<SampleRoom>> rooms;
  std::optional<PartFiller> filler;

  Filling(const Way& way, Samples first, std::unique_ptr<io::CloudStream> stream,
          const Progress& progress, const PartStatistics* look = nullptr) {
    std::vector<SampleRoom*> places;
    for (std::size_t i = 0; i < way.rooms; ++i) {
      rooms.push_back(std::make_unique<SampleRoom>(way.most, kWeighted));
      places.push_back(rooms.back().get());
    }
    filler.emplace(places, way.most, std::move(first), std::move(stream), look, true, progress);
  }
};

/// Everything read from a stream.
struct Parts {
  Samples cloud;
  std::vector<std::size_t> sizes;
  Moments moments;
  double mass = 0, updates = 0;
  io::CloudCounts counts;
};

Parts read_all(const Way& way, std::unique_ptr<io::CloudStream> stream, Samples first = {}) {
  const NoProgress silent;
  Problem problem;
  problem.kernel.H = {0.09, 0, 0, 0.09, 0, 0.09};
  problem.target = Grid{{-1, -1, -1}, {0.1, 0.1, 0.1}, {20, 20, 20}};
  const PartStatistics look(problem, {}, true);
  Filling filling(way, std::move(first), std::move(stream), silent, &look);
  Parts all;
  while (const auto part = filling.filler->next()) {
    append_samples(all.cloud, part->points);
    all.sizes.push_back(part->points.size());
    for (const PartStatistics::Block& block : part->blocks) all.moments.merge(block.moments);
    REQUIRE(part->found);
    all.mass += part->found->in_box.weight;
    all.updates += part->found->work.updates;
    filling.filler->release();
  }
  all.counts = filling.filler->counts();
  return all;
}

Samples read_by_one(const std::vector<std::string>& paths) {
  const auto stream = stream_of(paths, 1);
  Samples all, chunk;
  while (stream->read(chunk, 777, silent)) append_samples(all, chunk.view());
  return all;
}

void check_same(const Moments& a, const Moments& b) {
  CHECK(a.count() == b.count());
  CHECK(a.mean() == b.mean());
  CHECK(a.covariance() == b.covariance());
  CHECK(a.bounds() == b.bounds());
  CHECK(a.total_weight() == b.total_weight());
}

class Switch final : public Progress {
 public:
  void begin(std::string_view, std::uint64_t, std::string_view) override {}
  void update(std::uint64_t) override {}
  bool cancelled() const override { return off; }
  std::atomic<bool> off = false;
};

}  // namespace

TEST_CASE("Parts are the same ones whatever the threads and rooms", "[part_filler]") {
  const TemporaryFolder folder;
  const std::vector<double> rows = rows_with_holes();
  for (const char* name : {"a.npy", "a.csv", "a.ply"}) {
    const std::string path = write_rows(folder.path(name), rows);
    const Samples cloud = read_by_one({path});
    for (const std::size_t most : {std::size_t{1000}, Moments::kBlock, std::size_t{40000}}) {
      INFO(name << " " << most);
      const Parts one = read_all({1, 2, most}, stream_of({path}, 1));
      CHECK(one.cloud.xyz == cloud.xyz);
      CHECK(one.cloud.weights == cloud.weights);
      CHECK(one.sizes.size() == (cloud.size() + most - 1) / most);
      for (std::size_t i = 0; i + 1 < one.sizes.size(); ++i) CHECK(one.sizes[i] == most);
      if (most == Moments::kBlock) check_same(one.moments, compute_moments(cloud.view()));
      for (const Way& way : {Way{2, 2, most}, Way{5, 3, most}}) {
        const Parts parts = read_all(way, stream_of({path}, way.threads));
        CHECK(parts.cloud.xyz == cloud.xyz);
        CHECK(parts.cloud.weights == cloud.weights);
        CHECK(parts.sizes == one.sizes);
        check_same(parts.moments, one.moments);
        CHECK(parts.mass == one.mass);
        CHECK(parts.updates == one.updates);
        CHECK(parts.counts.rows == kWeightedRows);
        CHECK(parts.counts.non_finite == one.counts.non_finite);
        CHECK(parts.counts.zero_weight == one.counts.zero_weight);
      }
    }
  }
}

TEST_CASE("What is found out about parts is what is found of all at once", "[part_filler]") {
  const TemporaryFolder folder;
  const std::string path = write_rows(folder.path("a.npy"), rows_with_holes());
  const Samples cloud = read_by_one({path});
  const Parts parts = read_all({3, 2, 4 * Moments::kBlock}, stream_of({path}, 3));
  REQUIRE(parts.sizes.size() == 1);
  Kernel kernel;
  kernel.H = {0.09, 0, 0, 0.09, 0, 0.09};
  const Grid grid{{-1, -1, -1}, {0.1, 0.1, 0.1}, {20, 20, 20}};
  CHECK(parts.mass == mass_in_box(kernel, grid.bounds(), cloud.view()).weight);
}

TEST_CASE("Files follow each other, whether they are cut or not", "[part_filler]") {
  const TemporaryFolder folder;
  const std::vector<double> rows = rows_with_holes();
  const std::vector<double> few(rows.begin() + 40, rows.begin() + 80);
  const std::vector<std::string> paths{
      write_rows(folder.path("a.csv"), rows), write_rows(folder.path("b.csv"), few),
      write_rows(folder.path("c.npy"), rows), folder.file("d.xyz", "1 2 3 4\n5 6 7 8\n")};
  const Samples cloud = read_by_one(paths);
  for (const int threads : {1, 4}) {
    const Parts parts = read_all({threads, 3, 3000}, stream_of(paths, threads));
    CHECK(parts.cloud.xyz == cloud.xyz);
    CHECK(parts.counts.rows == 2 * kWeightedRows + 12);
  }
}

TEST_CASE("What was read before comes first", "[part_filler]") {
  const TemporaryFolder folder;
  const std::string path = write_rows(folder.path("a.csv"), rows_with_holes());
  const Samples cloud = read_by_one({path});
  for (const int threads : {1, 4}) {
    auto stream = stream_of({path}, threads);
    Samples first, chunk;
    while (first.size() < 9000 && stream->read(chunk, 4000, silent))
      append_samples(first, chunk.view());
    const Parts parts = read_all({threads, 2, 5000}, std::move(stream), std::move(first));
    CHECK(parts.cloud.xyz == cloud.xyz);
    CHECK(parts.counts.rows == kWeightedRows);
  }
}

TEST_CASE("The first broken row is told, behind the parts before it", "[part_filler]") {
  const TemporaryFolder folder;
  const NoProgress silent;
  std::string text;
  for (int i = 1; i <= 20000; ++i)
    text += i == 12345 ? "1 2 none 4\n" : i > 15000 ? "1 nan 3 4\n" : fmt::format("{} 2 3 4\n", i);
  const std::string path = folder.file("a.xyz", text);
  for (const int threads : {1, 2, 6}) {
    Filling filling({threads, 2, 1000}, {}, stream_of({path}, threads, io::NonFinite::error),
                    silent);
    std::size_t samples = 0;
    const Error error = thrown_error([&] {
      while (const auto part = filling.filler->next()) {
        samples += part->points.size();
        filling.filler->release();
      }
    });
    CHECK(says(error, "line 12345"));
    CHECK(samples == 12000);
  }
}

TEST_CASE("A file that shrinks while it is read is an error", "[part_filler]") {
  const TemporaryFolder folder;
  const NoProgress silent;
  const std::string path = write_rows(folder.path("a.npy"), rows_with_holes());
  Filling filling({4, 2, 1000}, {}, stream_of({path}, 4), silent);
  REQUIRE(filling.filler->next());
  std::filesystem::resize_file(path, 500000);
  check_thrown(ErrorKind::input, {"is truncated"}, [&] {
    do filling.filler->release();
    while (filling.filler->next());
  });
}

TEST_CASE("Filling ends where it is cancelled, or nobody wants the rest", "[part_filler]") {
  const TemporaryFolder folder;
  const std::string path = write_rows(folder.path("a.csv"), rows_with_holes());
  for (const int threads : {1, 4}) {
    Switch progress;
    Filling filling({threads, 2, 1000}, {}, stream_of({path}, threads), progress);
    REQUIRE(filling.filler->next());
    SECTION("cancelled") {
      progress.off = true;
      const Error error = thrown_error([&] {
        do filling.filler->release();
        while (filling.filler->next());
      });
      CHECK(error.kind() == ErrorKind::cancelled);
    }
    SECTION("left") { REQUIRE(filling.filler->next()); }
    SECTION("stopped") {
      filling.filler->stop();
      static_cast<void>(filling.filler->next());
      CHECK_FALSE(filling.filler->next());
    }
  }
}

TEST_CASE("Densities of samples in parts are those of samples in memory", "[part_filler]") {
  constexpr std::int64_t kMiB = std::int64_t{1} << 20;
  const TemporaryFolder folder;
  const Samples cloud = make_five_gaussians(3, 0, 700000);
  io::PointWriter writer(folder.path("a.npy"), cloud.size(), {"x", "y", "z"});
  writer.write(cloud.xyz);
  writer.finish();
  CloudFiles files;
  files.paths = {folder.path("a.npy")};
  DensityRequest request{.grid = {.dims = {{12, 12, 12}}}, .engine = "tile"};
  SECTION("one pass") {
    request.bandwidth.bandwidth = Vec3{0.5, 0.5, 0.5};
    request.grid.bounds = Box{{-1, -2, -3}, {3, 2, 2}};
  }
  SECTION("two passes") {}
  const auto [whole, in_memory] = computed_within(1000 * kMiB, files, request);
  const auto [parts, facts] = computed_within(kProgramBytes + 8 * kMiB, files, request);
  CHECK(in_memory.memory.part_samples == 0);
  CHECK(facts.memory.part_samples > 0);
  CHECK(facts.memory.part_samples % static_cast<std::int64_t>(Moments::kBlock) == 0);
  check_same(facts.moments, in_memory.moments);
  CHECK(facts.bandwidth.H == in_memory.bandwidth.H);
  CHECK(facts.grid == in_memory.grid);
  CHECK(facts.counts.rows == in_memory.counts.rows);
  CHECK(facts.in_box.outside == in_memory.in_box.outside);
  CHECK(facts.mass_in_box == Approx(in_memory.mass_in_box).epsilon(1e-4));
  CHECK(relative_distance(parts, whole) < 1e-6);
}
