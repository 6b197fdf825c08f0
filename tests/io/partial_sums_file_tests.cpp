#include "io/points/partial_sums_file.hpp"

#include <numeric>

#include "core/cloud/synthetic_cloud.hpp"
#include "core/report/error.hpp"
#include "io/text/json_object.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"

namespace skde::test {
namespace {

PartialSums example() {
  PartialSums partial;
  PartialHead& head = partial.head;
  head.problem.grid = {{-0.1, 1.0 / 3, 2}, {0.5, 0.25, 0.1}, {5, 4, 3}};
  head.problem.kernel = {KernelFunction::biweight, {1.1, 0.2, -0.1, 0.7, 0.3, 2}};
  head.problem.precision = Precision::f64;
  head.problem.binary_digits = binary_digits_for(1, kMostUncountedSamples);
  head.cloud.moments.add(make_five_gaussians(1, 0, 1000).view());
  head.cloud.rows = {1003, 2, 1};
  head.cloud.pieces = {{{"a.csv", "b.csv"}, 2, 3}};
  head.cloud.units = "m";
  head.cloud.axis_names = {"long", "lat", "depth"};
  head.cloud.version = "0.1.0";
  head.h = 0.3;
  head.bandwidth_source = "silverman";
  partial.sums.resize(60);
  std::iota(partial.sums.begin(), partial.sums.end(), std::int64_t{1} << 40);
  return partial;
}

std::string bytes_of(const PartialSums& partial) {
  const TemporaryFolder folder;
  io::write_partial_sums(folder.path("a.skp"), partial);
  return content_of(folder.path("a.skp"));
}

PartialHead read_bytes(const std::string& bytes, std::vector<std::int64_t>& sums) {
  return io::add_partial_sums(io::memory_source("a.skp", bytes), sums);
}

std::string error_of(const std::string& bytes) {
  std::vector<std::int64_t> sums;
  const Error error = thrown_error([&] { read_bytes(bytes, sums); });
  CHECK(error.kind() == ErrorKind::input);
  CHECK(says(error, "a.skp"));
  return error.what();
}

}  // namespace

TEST_CASE("Partial sums come back from their file to the last bit", "[partial]") {
  const PartialSums partial = example();
  const std::string bytes = bytes_of(partial);
  std::vector<std::int64_t> sums;
  const PartialHead head = read_bytes(bytes, sums);
  CHECK(sums == partial.sums);
  require_like(partial.head, "a", head, "b");
  CHECK(head.cloud.moments.sums().second[3] == partial.head.cloud.moments.sums().second[3]);
  CHECK(head.cloud.moments.moments().covariance() ==
        partial.head.cloud.moments.moments().covariance());
  CHECK(head.cloud.pieces == partial.head.cloud.pieces);
  CHECK(head.cloud.rows.rows == 1003);
  CHECK(head.h == 0.3);
  read_bytes(bytes, sums);  // adds to `sums`
  CHECK(sums[7] == 2 * partial.sums[7]);
  CHECK(io::read_partial_head(io::memory_source("a.skp", bytes)).bandwidth_source == "silverman");
}

TEST_CASE("Files of partial sums that are cut short or lie are refused", "[partial]") {
  const std::string bytes = bytes_of(example());
  for (std::size_t length = 0; length < bytes.size(); length += 1 + length / 37)
    error_of(bytes.substr(0, length));
  CHECK(error_of("x,y,z\n1,2,3\n").find("is not a file of partial sums") != std::string::npos);
  CHECK(error_of("skde partial sums 1\n12345678").find("another version") != std::string::npos);
  CHECK(error_of(bytes + "x").find("cells need") != std::string::npos);
  std::string changed = bytes;
  changed[bytes.size() - 60] = static_cast<char>(changed[bytes.size() - 60] ^ 1);
  CHECK(error_of(changed).find("sums changed") != std::string::npos);
  changed = bytes;
  changed[bytes.size() - 1] = '\x80';
  CHECK(error_of(changed).find("cannot be sums of its samples") != std::string::npos);
  changed = bytes;
  changed.replace(changed.find("\"dims\""), 6, "\"dimz\"");
  CHECK(error_of(changed).find("dim") != std::string::npos);
}

TEST_CASE("Unlike partial sums are refused by what is unlike", "[partial]") {
  const PartialHead head = example().head;
  const auto why = [&](const auto& change) {
    PartialHead other = head;
    change(other);
    const Error error = thrown_error([&] { require_like(head, "a.skp", other, "b.skp"); });
    CHECK(says(error, "b.skp: its "));
    return std::string(error.what());
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  CHECK(has(why([](PartialHead& h) { h.problem.grid.dims[1] = 9; }), "dims"));
  CHECK(has(why([](PartialHead& h) { h.problem.grid.lower.x = 9; }), "bounds"));
  CHECK(has(why([](PartialHead& h) { h.problem.grid.spacing.z = 9; }), "spacing"));
  CHECK(has(why([](PartialHead& h) { h.problem.kernel.H.xy += 1e-16; }), "H"));
  CHECK(has(why([](PartialHead& h) { h.problem.kernel.function = KernelFunction::uniform; }),
            "kernel"));
  CHECK(has(why([](PartialHead& h) { h.problem.precision = Precision::f32; }), "precision"));
  CHECK(has(why([](PartialHead& h) { h.problem.binary_digits = 3; }), "binary_digits"));
  CHECK(has(why([](PartialHead& h) { h.cloud.weighted = true; }), "weights"));
  CHECK(has(why([](PartialHead& h) { h.cloud.version = "9"; }), "version"));
  CHECK(has(why([](PartialHead& h) { h.cloud.units = "km"; }), "unit"));
}

TEST_CASE("Parts that are missing or there twice are told", "[partial]") {
  PartialCloud cloud = example().head.cloud;
  check_pieces(cloud, false);
  CHECK(says(thrown_error([&] { check_pieces(cloud, true); }),
             "part 1/3 of a.csv, b.csv is missing"));
  cloud.pieces.push_back({{"a.csv", "b.csv"}, 1, 3});
  cloud.pieces.push_back({{"c.csv"}, 1, 1});
  CHECK(says(thrown_error([&] { check_pieces(cloud, true); }), "part 3/3"));
  cloud.pieces.push_back({{"a.csv", "b.csv"}, 3, 3});
  check_pieces(cloud, true);
  cloud.pieces.push_back({{"c.csv"}, 1, 1});
  CHECK(
      says(thrown_error([&] { check_pieces(cloud, false); }), "part 1/1 of c.csv is given twice"));
}

TEST_CASE("Moments come back from their file to the last bit", "[partial]") {
  const TemporaryFolder folder;
  const PartialCloud cloud = example().head.cloud;
  const std::string path = folder.path("m.json");
  io::write_json(path, io::moments_document(cloud));
  const PartialCloud back = io::read_moments_file(path, {});
  CHECK(back.moments.moments().covariance() == cloud.moments.moments().covariance());
  CHECK(back.moments.moments().mean() == cloud.moments.moments().mean());
  CHECK(back.pieces == cloud.pieces);
  CHECK(io::moments_document(back) == io::moments_document(cloud));
  auto broken = io::moments_document(cloud);
  broken["sums"]["weight"] = {3, 4};
  broken["largest_weight"] = 50;
  io::write_json(path, broken);
  CHECK(says(thrown_error([&] { io::read_moments_file(path, {}); }), "'sums'"));
}

}  // namespace skde::test
