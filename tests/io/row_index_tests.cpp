#include "io/points/row_index.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "io/bytes/byte_source.hpp"
#include "io/points/formats/open_points.hpp"
#include "io/text/json_object.hpp"
#include "io/text/text_file.hpp"
#include "io/values/npy_header.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"

namespace skde::io {
namespace {

using Json = nlohmann::ordered_json;

/// A spiral with a place that no double of few digits has.
std::vector<double> spiral(std::size_t rows) {
  std::vector<double> xyz;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto t = static_cast<double>(i) / 97;
    xyz.insert(xyz.end(), {1e6 + std::cos(t) * t, std::sin(t) / 3, -t / 7});
  }
  return xyz;
}

RowIndex index_of(std::span<const double> xyz, std::uint64_t rows_a_block) {
  RowIndexBuilder builder(rows_a_block, 64);
  builder.add(xyz);
  return builder.finish(128 + 8 * xyz.size());
}

}  // namespace

TEST_CASE("an index has the moments of the cloud in memory, bit by bit", "[row index]") {
  const std::vector<double> xyz = spiral(50000);
  const RowIndex index = index_of(xyz, 1000);
  const Moments moments = compute_moments({xyz});
  CHECK(index.moments.about_mean().second == moments.about_mean().second);
  CHECK(index.moments.mean() == moments.mean());
  CHECK(index.moments.covariance() == moments.covariance());
  CHECK(index.moments.bounds() == moments.bounds());
  CHECK(index.moments.effective_samples() == moments.effective_samples());
  REQUIRE(index.blocks.size() == 50);
  CHECK(index.blocks[7].box == compute_moments(SamplesView{xyz}.slice(7000, 1000)).bounds());
  CHECK(index.blocks[7].samples == 1000);
}

TEST_CASE("an index does not depend on how its rows arrive", "[row index]") {
  const std::vector<double> xyz = spiral(5000);
  const std::span<const double> rows = xyz;
  const RowIndex whole = index_of(xyz, 700);
  RowIndexBuilder in_bits(700, 64), by_block(700, 64);
  for (std::size_t begin = 0; begin < 5000; begin += 333)
    in_bits.add(rows.subspan(3 * begin, 3 * std::min<std::size_t>(333, 5000 - begin)));
  for (std::size_t begin = 0; begin < 5000; begin += 700) {
    const auto block = rows.subspan(3 * begin, 3 * std::min<std::size_t>(700, 5000 - begin));
    by_block.add(by_block.block_of(block), block);
  }
  CHECK(in_bits.finish(whole.file_bytes) == whole);
  CHECK(by_block.finish(whole.file_bytes) == whole);
  CHECK(in_bits.finish(1) == RowIndexBuilder(700, 64).finish(1));  // empty afterwards
}

TEST_CASE("rows that are not finite are no samples of an index", "[row index]") {
  std::vector<double> xyz = spiral(40000), without = xyz;
  const auto row = [](std::vector<double>& all, std::size_t i) {
    return all.begin() + static_cast<std::ptrdiff_t>(3 * i);
  };
  *row(xyz, 5000) = std::numeric_limits<double>::quiet_NaN();
  xyz.back() = std::numeric_limits<double>::infinity();
  without.resize(without.size() - 3);
  without.erase(row(without, 5000), row(without, 5001));
  const RowIndex index = index_of(xyz, 4096);
  CHECK(index.rows == 40000);
  CHECK(index.blocks[1].samples == 4095);
  CHECK(index.blocks.back().samples == index.blocks.back().rows - 1);
  CHECK(index.moments.covariance() == compute_moments({without}).covariance());
}

TEST_CASE("the boxes of pieces hold their samples, and little more", "[row index]") {
  const double far = GENERATE(0, 1, 1e-300, 1e308, 1e17);
  std::vector<double> xyz = spiral(900);
  for (std::size_t i = 0; i < xyz.size(); i += 3) xyz[i] = xyz[i] / 1e6 * far;
  const RowIndex index = index_of(xyz, 300);
  for (std::size_t b = 0; b < 3; ++b) {
    REQUIRE(index.blocks[b].pieces.size() == 5);
    for (std::size_t p = 0; p < 5; ++p) {
      const auto rows = std::span<const double>(xyz).subspan(900 * b + 192 * p, p < 4 ? 192 : 132);
      const Box own = compute_moments({rows}).bounds(), all = index.blocks[b].box,
                box = index.blocks[b].pieces[p].box_in(all);
      CHECK(box.holds(own.lower));
      CHECK(box.holds(own.upper));
      for (int axis = 0; axis < 3; ++axis) {
        const double step = (all.upper[axis] - all.lower[axis]) / 256;
        CHECK(own.lower[axis] - box.lower[axis] <= step * 1.01);
        CHECK(box.upper[axis] - own.upper[axis] <= step * 1.01);
      }
    }
  }
}

TEST_CASE("pieces are coarser in larger files", "[row index]") {
  CHECK(rows_a_piece_of(0) == 512);
  CHECK(rows_a_piece_of(10000000) == 512);
  CHECK(rows_a_piece_of(1000000000) == 4096);
  CHECK(rows_a_piece_of(std::uint64_t{1} << 50) == 65536);
}

TEST_CASE("an index is written losslessly, beside other facts of the file", "[row index]") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("cloud.npy");
  write_text(path, "x");
  CHECK_FALSE(read_row_index(path, {}));
  write_text(description_path(path), R"({"units": "mm"})");
  CHECK_FALSE(read_row_index(path, {}));
  const RowIndex index = index_of(spiral(5000), 700);
  write_row_index(path, index);
  write_row_index(path, index);
  const std::optional<RowIndex> read = read_row_index(path, {});
  REQUIRE(read);
  CHECK(*read == index);
  CHECK(read_json(description_path(path))["units"] == "mm");
  CHECK_FALSE(read_row_index("-", {}));
}

TEST_CASE("a hash notices every changed value", "[row index]") {
  std::vector<double> xyz = spiral(300);
  const std::uint64_t hash = RowIndexBuilder().block_of(xyz).hash;
  for (double& value : xyz) {
    const double kept = value;
    value = std::nextafter(value, 2e6);
    CHECK(RowIndexBuilder().block_of(xyz).hash != hash);
    value = kept;
  }
  std::swap_ranges(xyz.begin(), xyz.begin() + 3, xyz.begin() + 3);
  CHECK(RowIndexBuilder().block_of(xyz).hash != hash);
}

TEST_CASE("an index that contradicts itself is refused", "[row index]") {
  const test::TemporaryFolder folder;
  write_row_index(folder.path("cloud.npy"), index_of(spiral(500), 100));
  const Json good = read_json(description_path(folder.path("cloud.npy"))).at("row_index");
  const auto refused = [&](const char* pointer, const Json& value) {
    Json bad = good;
    bad[nlohmann::ordered_json::json_pointer(pointer)] = value;
    const Error error = test::thrown_error([&] {
      parse_row_index(json_line({{"row_index", bad}}), "cloud.npy.json");
    });
    INFO(error.what());
    CHECK(error.kind() == ErrorKind::input);
    CHECK(test::says(error, "cloud.npy.json"));
  };
  CHECK(parse_row_index(json_line({{"row_index", good}}), "a"));
  refused("/version", 2);
  refused("/rows", -1);
  refused("/rows", 0);
  refused("/rows", 1000000000000000);
  refused("/rows", 501);
  refused("/rows", 18446744073709551615u);
  refused("/rows_a_block", 0);
  refused("/rows_a_block", 99);
  refused("/file_bytes", "many");
  refused("/columns", {1, 2});
  refused("/samples/2", 101);
  refused("/samples/2", -5);
  refused("/samples", {0, 0, 0, 0, 0});
  refused("/samples", 5);
  refused("/hashes/0", 1.5);
  refused("/lower/4", nullptr);
  refused("/lower/4", 1e300);
  refused("/lower", Json::array());
  refused("/upper/4", -1e300);
  refused("/moments/mean", {1, 2});
  refused("/moments/bounds/0/1", -5);
  refused("/moments/central/0", -1);
  refused("/moments", Json::object());
  refused("/inner_bounds/1/2", 1e9);
  refused("/rows_a_piece", 0);
  refused("/rows_a_piece", 100);
  refused("/rows_a_piece", 32);
  refused("/pieces", Json::array());
  refused("/pieces/1", "");
  refused("/pieces/1", std::string(40, 'g'));
  refused("/pieces/1", "ff" + std::string(38, '0'));
  refused("/unknown", 1);
  for (const char* text : {"[]", "{\"row_index\": 1e999}", "{\"row_index\": []}", "{", ""})
    CHECK(test::thrown_error([&] { parse_row_index(text, "a"); }).kind() == ErrorKind::input);
  const std::string deep = "{\"row_index\":" + std::string(100000, '[');
  CHECK(test::thrown_error([&] { parse_row_index(deep, "a"); }).kind() == ErrorKind::input);
}

TEST_CASE("an index is not used for another file of its size that is older", "[row index]") {
  namespace fs = std::filesystem;
  for (const std::uint64_t rows_a_block : {5000u, 512u, 64u}) {
    INFO(rows_a_block << " rows a block");
    const test::TemporaryFolder folder;
    const std::string path = folder.path("a.npy");
    std::vector<double> xyz = spiral(20000);
    const auto why_ignored = [&] {
      write_npy(path, xyz, {20000, 3});
      fs::last_write_time(path,
                          fs::last_write_time(description_path(path)) - std::chrono::hours(9));
      const auto reader = open_points(path, {});
      const RowIndexFound found = find_row_index(path, *reader, {});
      CHECK((found.index == nullptr) == !found.why_ignored.empty());
      // The reader is at its first row, as before.
      Samples first;
      CHECK(reader->read(first, 1));
      CHECK(std::ranges::equal(first.xyz, std::span(xyz).first(3)));
      return found.why_ignored;
    };
    write_npy(path, xyz, {20000, 3});
    RowIndexBuilder builder(rows_a_block, 64);
    builder.add(xyz);
    write_row_index(path, builder.finish(fs::file_size(path)));
    CHECK(why_ignored().empty());
    // Of 20,000 rows, 800 in a row are others: looks are 645 apart.
    for (std::size_t i = 3 * 9000; i < 3 * 9800; ++i) xyz[i] += 0.001;
    CHECK(why_ignored() == path + ".json: is not used: the file has other rows");
    xyz = spiral(20000);
    xyz.back() = 0;
    CHECK(why_ignored() == path + ".json: is not used: the file has other rows");
  }
}

}  // namespace skde::io
