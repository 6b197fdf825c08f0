// Densities in a box of a file that has an index: only its blocks that reach the box are read.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "core/cloud/synthetic_cloud.hpp"
#include "estimate/plan/block_choice.hpp"
#include "estimate/session.hpp"
#include "estimate/values/density_facts.hpp"
#include "io/points/row_index.hpp"
#include "io/values/npy_header.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"
#include "support/volume_comparison.hpp"

using namespace skde;
using namespace skde::test;

namespace {

/// Spreads the lowest ten bits, with two zeros between them.
std::uint32_t spread(std::uint32_t bits) {
  std::uint32_t out = 0;
  for (int bit = 0; bit < 10; ++bit) out |= (bits >> bit & 1u) << (3 * bit);
  return out;
}

/// Returns five Gaussians in Morton order of cells in [-8, 8]^3.
std::vector<double> ordered_cloud(std::size_t samples) {
  const std::vector<double> xyz = make_five_gaussians(3, 0, samples).xyz;
  std::vector<std::pair<std::uint32_t, std::size_t>> order;
  for (std::size_t i = 0; i < samples; ++i) {
    std::uint32_t code = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      const double cell = std::clamp((xyz[3 * i + a] + 8) * 16, 0.0, 255.0);
      code |= spread(static_cast<std::uint32_t>(cell)) << a;
    }
    order.emplace_back(code, i);
  }
  std::ranges::sort(order);
  std::vector<double> sorted;
  for (const auto& [code, i] : order)
    sorted.insert(sorted.end(), {xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]});
  return sorted;
}

/// Writes a cloud with its index, and returns its path.
std::string indexed_file(const TemporaryFolder& folder, const std::vector<double>& xyz,
                         std::uint64_t rows_a_block, std::uint64_t rows_a_piece = 0) {
  std::string path = folder.path("cloud.npy");
  io::write_npy(path, xyz, {static_cast<std::int64_t>(xyz.size() / 3), 3});
  io::RowIndexBuilder builder(rows_a_block, rows_a_piece);
  builder.add(xyz);
  io::write_row_index(path, builder.finish(std::filesystem::file_size(path)));
  return path;
}

Session session_of(const CloudFiles& files, std::int64_t memory_limit = 0) {
  Session session({.memory_limit = memory_limit, .keeps_samples = false});
  session.open_in_parts(files);
  return session;
}

std::pair<Volume, DensityFacts> computed(const CloudFiles& files, const DensityRequest& request,
                                         std::int64_t memory_limit = 0) {
  Density density = session_of(files, memory_limit).compute(request);
  return {density.take_volume(), density.facts()};
}

/// Computes a density with the index of the file, and once it is gone, and requires the same bits.
/// Returns the facts with the index.
DensityFacts compared(const std::string& path, const DensityRequest& request,
                      std::int64_t memory_limit = 0) {
  const auto [boxed, facts] = computed({{path}}, request, memory_limit);
  const std::string index = io::description_path(path), hidden = index + ".hidden";
  std::filesystem::rename(index, hidden);
  const auto [whole, all] = computed({{path}}, request, memory_limit);
  std::filesystem::rename(hidden, index);
  REQUIRE(facts.blocks);
  CHECK_FALSE(all.blocks);
  CHECK(facts.engine == all.engine);
  CHECK(facts.problem == all.problem);
  CHECK(facts.bandwidth.H == all.bandwidth.H);
  CHECK(facts.counts == all.counts);
  CHECK(facts.blocks->read_samples() + facts.blocks->skipped_samples == all.counts.samples());
  CHECK(facts.columns == all.columns);
  CHECK(facts.memory.part_samples == all.memory.part_samples);
  CHECK(facts.moments.total_weight() == all.moments.total_weight());
  CHECK(facts.moments.effective_samples() == all.moments.effective_samples());
  CHECK(facts.moments.bounds() == all.moments.bounds());
  CHECK(facts.in_box.outside == all.in_box.outside);
  CHECK(facts.mass_in_box == Approx(all.mass_in_box).epsilon(1e-9));
  CHECK(facts.peak == all.peak);
  CHECK(same_bits(boxed, whole));
  return facts;
}

DensityRequest request_in(const Box& box, std::int64_t cells = 24) {
  return {.bandwidth = {.bandwidth = BandwidthRule::silverman},
          .grid = {.bounds = box, .dims = {{cells, cells, cells}}}};
}

constexpr Box kCorner{{0.3, -0.2, 0.1}, {1.4, 0.9, 1.3}};
}  // namespace

TEST_CASE("The density of a box has the bits of the whole with an index", "[index]") {
  const TemporaryFolder folder;
  const std::string path = indexed_file(folder, ordered_cloud(60000), 2048, 128);
  for (const Precision precision : {Precision::f32, Precision::f64})
    for (const char* const engine : {"", "span", "tile", "openmp"}) {
      DensityRequest request = request_in(kCorner);
      request.options.threads = 1;  // openmp adds in no fixed order on several
      request.precision = precision;
      request.engine = engine;
      const DensityFacts facts = compared(path, request);
      CHECK(facts.blocks->share() < 0.95);
      request.bandwidth.bandwidth = Vec3{0.1, 0.12, 0.08};
      CHECK(compared(path, request).blocks->share() < 0.5);
    }
}

TEST_CASE("The mass of many tilted kernels at edges is the same with an index", "[index]") {
  const TemporaryFolder folder;
  const std::string path = indexed_file(folder, ordered_cloud(200000), 2048, 128);
  DensityRequest request = request_in({{-0.1, -0.1, -0.1}, {0.1, 0.1, 0.1}}, 8);
  request.kernel = KernelFunction::gaussian;
  request.bandwidth.bandwidth = Symmetric3{0.04, 0.03, -0.02, 0.06, 0.01, 0.05};
  request.engine = "tile";
  const DensityFacts facts = compared(path, request);
  CHECK(facts.blocks->share() < 1);
  CHECK(facts.blocks->read_samples() > 10000);  // only the integrals of some thousand are computed
}

TEST_CASE("Transforms of a box have the bits of the whole with an index", "[index]") {
  const TemporaryFolder folder;
  const std::string path = indexed_file(folder, ordered_cloud(60000), 256);
  DensityRequest request = request_in({{-2, -2, -2}, {-1.2, -1, -1}}, 40);
  request.kernel = KernelFunction::gaussian;
  request.bandwidth.bandwidth = Vec3{0.1, 0.1, 0.1};
  for (const double tolerance : {1e-3, 1e-5})
    for (const char* const engine : {"spectral", "tile"}) {
      request.engine = engine;
      request.tolerance = tolerance;
      const DensityFacts facts = compared(path, request);
      REQUIRE(facts.measured);
      CHECK(facts.measured->error <= facts.error_bound);
    }
}

TEST_CASE("Parts of an indexed file are added as those of the whole", "[index]") {
  const TemporaryFolder folder;
  std::vector<double> xyz = ordered_cloud(640000);
  for (std::size_t i = 900; i < 300000; i += 7001) xyz[i] = NAN;
  const std::string path = indexed_file(folder, xyz, 5000, GENERATE(0, 700));
  constexpr std::int64_t kLittle = std::int64_t{174} << 20;
  DensityRequest request = request_in({{-0.4, -0.5, -0.4}, {0.4, 0.4, 0.5}}, 16);
  request.engine = "tile";
  for (const bool one_pass : {false, true}) {
    if (one_pass) request.bandwidth.bandwidth = Vec3{0.2, 0.2, 0.2};
    const DensityFacts facts = compared(path, request, kLittle);
    CHECK(facts.one_pass == one_pass);
    CHECK(facts.memory.part_samples > 0);
    CHECK(facts.blocks->part_ends.size() > 1);
    CHECK(facts.counts.non_finite == 43);
  }
}

TEST_CASE("Blocks are divided where the whole cloud would be", "[index]") {
  io::RowIndex index;
  index.rows_a_block = 10;
  for (int block = 0; block < 6; ++block) {
    const auto x = static_cast<double>(block);
    index.blocks.push_back({10, block == 1 ? 7u : 10u, {{x, 0, 0}, {x + 1, 1, 1}}, 0});
  }
  index.rows = 60;
  // Blocks 0 to 5 hold samples 0, 10, 17, 27, 37 and 47 to 57.
  const BlockChoice one = choose_blocks(index, {{1.5, 0, 0}, {1.5, 1, 1}}, {}, 0);
  REQUIRE(one.read.size() == 1);
  CHECK(one.read[0] == io::RowRange{10, 10, 7, 0});
  CHECK(one.part_ends == std::vector<std::size_t>{7});
  CHECK(one.skipped_samples == 50);
  CHECK(one.describe() == "1 of 6 blocks (17 % of the rows)");
  const BlockChoice wide = choose_blocks(index, {{1.5, 0, 0}, {1.5, 1, 1}}, {1, 0, 0}, 0);
  CHECK(wide.describe() == "3 of 6 blocks (50 % of the rows; 17 % without the kernels' reach)");
  const BlockChoice cut = choose_blocks(index, {{1.5, 0, 0}, {3.5, 1, 1}}, {}, 20);
  CHECK(cut.part_ends == std::vector<std::size_t>{10, 27});
  const BlockChoice none = choose_blocks(index, {{1.5, 2, 0}, {3.5, 3, 1}}, {}, 20);
  CHECK(none.read.empty());
  CHECK(none.part_ends.empty());
  const BlockChoice apart = choose_blocks(index, {{0, 0, 0}, {0.5, 1, 1}}, {}, 20);
  CHECK(apart.part_ends == std::vector<std::size_t>{10});
}

TEST_CASE("Pieces of blocks are read in runs", "[index]") {
  std::vector<double> xyz;
  for (int row = 0; row < 40; ++row) xyz.insert(xyz.end(), {row * 1.0, 0.5, 0.5});
  xyz[3 * 30] = NAN;  // the second block is not cut
  io::RowIndexBuilder builder(20, 4);
  builder.add(xyz);
  const io::RowIndex index = builder.finish(1);
  CHECK(index.blocks[0].pieces.size() == 5);
  CHECK(index.blocks[1].pieces.empty());
  const BlockChoice some = choose_blocks(index, {{8.5, 0, 0}, {14.5, 1, 1}}, {}, 10);
  REQUIRE(some.read.size() == 1);
  CHECK(some.read[0].first == 8);
  CHECK(some.read[0].samples == 8);
  io::RangeHash hash(4);
  hash.add(std::span<const double>(xyz).subspan(24, 15));
  hash.add(std::span<const double>(xyz).subspan(39, 9));
  CHECK(some.read[0].hash == hash.value());
  CHECK(some.part_ends == std::vector<std::size_t>{2, 8});
  const BlockChoice all = choose_blocks(index, {{0, 0, 0}, {35, 1, 1}}, {}, 0);
  REQUIRE(all.read.size() == 2);
  CHECK(all.read[0] == io::RowRange{0, 20, 20, index.blocks[0].hash});
  CHECK(all.read[1] == io::RowRange{20, 20, 19, index.blocks[1].hash});
  const BlockChoice reached = choose_blocks(index, {{1, 0, 0}, {2, 1, 1}}, {5, 0, 0}, 0);
  CHECK(reached.read_rows() == 8);
  CHECK(reached.box_rows == 4);
  std::uint64_t inside = 0;
  const BlockChoice faces = choose_faces(index, {{-1, 0, 0}, {9.5, 1, 1}}, inside);
  CHECK(inside == 8);
  REQUIRE(faces.read.size() == 1);
  CHECK(faces.read[0].first == 8);
  CHECK(faces.read[0].rows == 4);
}

TEST_CASE("An index that does not fit its file is ignored or refused", "[index]") {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  std::vector<double> xyz = ordered_cloud(20000);
  const std::string path = indexed_file(folder, xyz, 500), index = io::description_path(path);
  const DensityRequest request = request_in(kCorner);
  const auto good = computed({{path}}, request);
  REQUIRE(good.second.blocks);
  CHECK(good.second.warnings.empty());
  const auto ignored = [&](const char* why) {
    const auto [volume, facts] = computed({{path}}, request);
    CHECK_FALSE(facts.blocks);
    REQUIRE(facts.warnings.size() == 1);
    CHECK(facts.warnings[0].kind == "index");
    CHECK(facts.warnings[0].problem.find(why) != std::string::npos);
    return same_bits(volume, good.first);
  };
  fs::last_write_time(path, fs::last_write_time(index) + std::chrono::hours(1));
  CHECK(ignored("written to after"));
  fs::last_write_time(path, fs::last_write_time(index) - std::chrono::hours(1));
  CHECK(computed({{path}}, request).second.blocks);
  const std::string text = content_of(index);
  folder.file("cloud.npy.json", "{\"row_index\": {\"rows\": -3}}");
  CHECK(ignored("row_index"));
  folder.file("cloud.npy.json", text);
  // Another file of the same size, with the time of the first one.
  const auto time = fs::last_write_time(path);
  std::ranges::reverse(xyz);
  io::write_npy(path, xyz, {20000, 3});
  fs::last_write_time(path, time);
  ignored("the file has other rows");
  std::ranges::reverse(xyz);
  // These blocks have none of the 32 rows that are looked at ahead, and are compared when read.
  for (const std::size_t block : {4, 8, 13, 17, 22, 26, 31, 35})
    xyz[1500 * block] = std::nextafter(xyz[1500 * block], 0.0);
  io::write_npy(path, xyz, {20000, 3});
  fs::last_write_time(path, time);
  check_thrown(ErrorKind::input, {"are not those of its index"},
               [&] { computed({{path}}, request); });
  xyz.resize(xyz.size() - 3);
  io::write_npy(path, xyz, {19999, 3});
  CHECK_FALSE(ignored("another size"));
}

TEST_CASE("Values at points have the bits of the whole with an index", "[index]") {
  const TemporaryFolder folder;
  const std::vector<double> xyz = ordered_cloud(60000);
  const std::string path = indexed_file(folder, xyz, 2048, 128), index = io::description_path(path);
  const Vec3 shift = GENERATE(Vec3{}, Vec3{3, -9, 2});  // the second box is far from all samples
  std::vector<double> places;
  for (std::size_t i = 0; i < 200; ++i)
    for (int axis = 0; axis < 3; ++axis)
      places.push_back(shift[axis] + kCorner.lower[axis] +
                       std::fmod(0.618 * static_cast<double>(i * (2 * axis + 1)), 1));
  const TargetPoints points(places);
  const auto evaluated = [&](const DensityRequest& request, const PointWishes& wishes) {
    NoProgress silent;
    return session_of({{path}}).evaluate(request, points, wishes, silent);
  };
  const auto without_index = [&](const auto&... with) {
    std::filesystem::rename(index, index + ".hidden");
    PointDensity all = evaluated(with...);
    std::filesystem::rename(index + ".hidden", index);
    return all;
  };
  for (const KernelFunction kernel : {KernelFunction::epanechnikov, KernelFunction::gaussian})
    for (const Precision precision : {Precision::f32, Precision::f64})
      for (const bool gradient : {false, true}) {
        DensityRequest request{.kernel = kernel,
                               .bandwidth = {.bandwidth = Vec3{0.11, 0.13, 0.09}},
                               .precision = precision,
                               .options = {.threads = 2}};
        const PointWishes wishes{.gradient = gradient};
        const PointDensity near = evaluated(request, wishes), all = without_index(request, wishes);
        REQUIRE(near.facts.blocks);
        CHECK(near.facts.blocks->share() < 0.7);
        CHECK_FALSE(all.facts.blocks);
        CHECK(near.facts.engine == all.facts.engine);
        CHECK(near.facts.counts == all.facts.counts);
        CHECK(near.facts.bandwidth.H == all.facts.bandwidth.H);
        CHECK(near.facts.peak == all.facts.peak);
        CHECK(near.values == all.values);
        CHECK(near.gradients == all.gradients);
      }
  const auto reads_all = [&](const DensityRequest& request, const PointWishes& wishes) {
    const PointDensity density = evaluated(request, wishes);
    return !density.facts.blocks && density.values == without_index(request, wishes).values;
  };
  DensityRequest request{.engine = "naive"};
  CHECK(reads_all(request, {}));
  request.engine = "";
  request.kernel = KernelFunction::gaussian;
  CHECK(reads_all(request, {.log = true}));
  request.kernel = KernelFunction::epanechnikov;
  request.bandwidth.bandwidth = Vec3{50, 50, 50};
  CHECK(reads_all(request, {}));
}

TEST_CASE("Everything is read where all samples matter", "[index]") {
  const TemporaryFolder folder;
  const std::string path = indexed_file(folder, ordered_cloud(3000), 100);
  const auto reads_all = [&](const std::function<void(DensityRequest&, CloudFiles&)>& change) {
    DensityRequest request = request_in(kCorner, 8);
    CloudFiles files{{path}};
    change(request, files);
    return !computed(files, request).second.blocks;
  };
  CHECK_FALSE(reads_all([](auto&, auto&) {}));
  CHECK(reads_all([](auto& request, auto&) { request.engine = "naive"; }));
  CHECK(reads_all([](auto& request, auto&) { request.adaptive = 0.5; }));
  CHECK(reads_all([](auto& request, auto&) {
    request.bandwidth.bandwidth = BandwidthRule::normal_scale;
    request.normalization = Normalization::box;
  }));
  CHECK(reads_all([](auto& request, auto&) { request.grid.bounds.reset(); }));
  CHECK(reads_all([](auto& request, auto&) { request.boundaries[0] = Boundary::periodic; }));
  CHECK(reads_all([](auto&, auto& files) { files.columns.coordinates = {"2", "1", "3"}; }));
  CHECK(reads_all([](auto&, auto& files) { files.columns.where = "#1 > -50"; }));
  CHECK(reads_all([](auto&, auto& files) { files.paths.push_back(files.paths[0]); }));
}

TEST_CASE("A box with 1 % of the samples takes 3 % of the bytes", "[index]") {
  // As 1e7 rows with blocks of 65,536 and pieces of 512; kernels are narrow.
  const TemporaryFolder folder;
  const std::vector<double> xyz = ordered_cloud(1250000);
  const std::string path = indexed_file(folder, xyz, 8192, 64);
  const std::size_t middle = GENERATE(take(2, random(0, 1249999)));
  const Vec3 at{xyz[3 * middle], xyz[3 * middle + 1], xyz[3 * middle + 2]};
  std::vector<double> away;
  for (std::size_t i = 0; i < xyz.size(); i += 3)
    away.push_back(std::max(
        {std::abs(xyz[i] - at.x), std::abs(xyz[i + 1] - at.y), std::abs(xyz[i + 2] - at.z)}));
  std::ranges::nth_element(away, away.begin() + 12500);
  const double half = away[12500];
  DensityRequest request = request_in({at - Vec3{half, half, half}, at + Vec3{half, half, half}});
  const double width = half / 100;
  request.bandwidth.bandwidth = Vec3{width, width, width};
  request.engine = "span";
  const auto bytes_read = [] {
    std::ifstream counters("/proc/self/io");
    std::string name;
    double bytes = 0;
    counters >> name >> bytes;
    return name == "rchar:" ? bytes : NAN;
  };
  const double before = bytes_read();
  const auto [volume, facts] = computed({{path}}, request);
  const double read = bytes_read() - before;
  REQUIRE(facts.blocks);
  const auto all = static_cast<double>(std::filesystem::file_size(path));
  CHECK(facts.mass_in_box == Approx(0.01).epsilon(0.03));
  CHECK(facts.blocks->share() < 0.028);
  CHECK(facts.blocks->box_rows <= facts.blocks->read_rows());
  if (std::isfinite(read)) {
    // The index is not smaller, whose rows are an eighth of those that it is as fine for.
    const auto index = static_cast<double>(std::filesystem::file_size(io::description_path(path)));
    CHECK(read - index * 7 / 8 < 0.03 * all);
    CHECK(read > facts.blocks->share() * all);
  }
  compared(path, request);
}
