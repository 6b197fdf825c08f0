// Rows of x, y and z only, which threads read directly to the places of their samples.

#include <fmt/core.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>

#include "core/cloud/synthetic_cloud.hpp"
#include "estimate/read/part_filler.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using namespace skde::test;

namespace {

constexpr std::size_t kBareRows = 30000;

/// Returns an NPY array of rows of three numbers.
template <class Real>
std::string npy_of(const std::vector<double>& xyz, const char* type) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}, 3), }}",
                                 type, xyz.size() / 3);
  text.resize(117, ' ');
  std::string bytes = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + text + "\n";
  for (const double number : xyz) {
    const auto real = static_cast<Real>(number);
    char raw[sizeof(Real)];
    std::memcpy(raw, &real, sizeof(Real));
    bytes.append(raw, sizeof(Real));
  }
  return bytes;
}

/// Returns rows of which every `every`-th is not a usable sample; 0 means no such row.
std::vector<double> rows_with_holes(std::size_t every) {
  std::vector<double> xyz = make_five_gaussians(7, 0, kBareRows).xyz;
  for (std::size_t row = every / 2; every > 0 && row < kBareRows; row += every)
    xyz[3 * row + row % 3] = row % 2 == 0 ? NAN : -INFINITY;
  return xyz;
}

std::vector<double> usable(const std::vector<double>& xyz) {
  std::vector<double> kept;
  for (std::size_t i = 0; i < xyz.size(); i += 3)
    if (std::isfinite(xyz[i]) && std::isfinite(xyz[i + 1]) && std::isfinite(xyz[i + 2]))
      kept.insert(kept.end(), {xyz[i], xyz[i + 1], xyz[i + 2]});
  return kept;
}

struct BareWay {
  int threads = 1;
  std::size_t rooms = 2, most = 1000;
  io::NonFinite non_finite = io::NonFinite::drop;
};

/// A filler with rooms of its own, which reads pieces of about 200 rows of doubles.
struct BareFilling {
  NoProgress silent;
  std::vector<std::unique_ptr<SampleRoom>> rooms;
  std::optional<PartFiller> filler;

  BareFilling(const BareWay& way, const std::vector<std::string>& paths, Samples first = {}) {
    std::vector<SampleRoom*> places;
    for (std::size_t i = 0; i < way.rooms; ++i) {
      rooms.push_back(std::make_unique<SampleRoom>(way.most, io::ColumnSelection{}));
      places.push_back(rooms.back().get());
    }
    auto stream = std::make_unique<io::CloudStream>(paths, io::ColumnSelection{}, way.non_finite,
                                                    io::ReadingPlan{{}, way.threads, 5000});
    filler.emplace(places, way.most, std::move(first), std::move(stream), nullptr, true, silent);
  }
};

struct BareParts {
  std::vector<double> xyz;
  Moments moments;
  io::CloudCounts counts;
};

BareParts read_all(BareFilling& filling) {
  BareParts all;
  while (const auto part = filling.filler->next()) {
    all.xyz.insert(all.xyz.end(), part->points.xyz.begin(), part->points.xyz.end());
    for (const PartStatistics::Block& block : part->blocks) all.moments.merge(block.moments);
    filling.filler->release();
  }
  all.counts = filling.filler->counts();
  return all;
}

}  // namespace

TEST_CASE("Rows that are no samples are dropped wherever threads read them to", "[bare_rows]") {
  const TemporaryFolder folder;
  // A few unusable rows shift what follows; many leave no piece where it was expected.
  for (const std::size_t every : {0, 9000, 1500, 333, 50, 1}) {
    const std::vector<double> rows = rows_with_holes(every);
    const std::vector<double> expected = usable(rows);
    const std::string path = folder.file("a.npy", npy_of<double>(rows, "<f8"));
    const Moments moments = compute_moments({expected});
    for (const BareWay& way :
         {BareWay{1, 2, 1000}, BareWay{2, 2, 1000}, BareWay{6, 3, 1000}, BareWay{6, 2, 300},
          BareWay{5, 2, Moments::kBlock}, BareWay{3, 2, 2 * Moments::kBlock}}) {
      INFO("a hole in " << every << " rows, " << way.threads << " threads, parts of " << way.most);
      BareFilling filling(way, {path});
      const BareParts parts = read_all(filling);
      CHECK(parts.xyz == expected);
      CHECK(parts.counts.rows == kBareRows);
      CHECK(parts.counts.non_finite == kBareRows - expected.size() / 3);
      CHECK(parts.moments.count() == expected.size() / 3);
      if (way.most % Moments::kBlock != 0) continue;
      CHECK(parts.moments.mean() == moments.mean());
      CHECK(parts.moments.covariance() == moments.covariance());
    }
  }
}

TEST_CASE("Numbers that are no doubles are read to their places as well", "[bare_rows]") {
  const TemporaryFolder folder;
  std::vector<double> rows = rows_with_holes(700);
  for (double& number : rows) number = static_cast<float>(number);
  const std::string path = folder.file("a.npy", npy_of<float>(rows, "<f4"));
  for (const BareWay& way : {BareWay{1, 2, 1000}, BareWay{4, 3, 3000}}) {
    BareFilling filling(way, {path});
    CHECK(read_all(filling).xyz == usable(rows));
  }
}

TEST_CASE("Files of bare rows and others follow each other and what was read before",
          "[bare_rows]") {
  const TemporaryFolder folder;
  const std::vector<double> rows = rows_with_holes(4000), first{1, 2, 3, 4, 5, 6};
  const std::string bare = folder.file("a.npy", npy_of<double>(rows, "<f8"));
  const std::string text = folder.file("b.xyz", "7 8 9\n1 nan 2\n3 2 1\n");
  std::vector<double> expected = first;
  for (int i = 0; i < 2; ++i) {
    const std::vector<double> kept = usable(rows);
    expected.insert(expected.end(), kept.begin(), kept.end());
    if (i == 0) expected.insert(expected.end(), {7, 8, 9, 3, 2, 1});
  }
  for (const int threads : {1, 5}) {
    BareFilling filling({threads, 3, 1000}, {bare, text, bare}, Samples{first});
    CHECK(read_all(filling).xyz == expected);
  }
}

TEST_CASE("The first row that is none is told with its number", "[bare_rows]") {
  const TemporaryFolder folder;
  std::vector<double> rows = rows_with_holes(0);
  rows[3 * 12344 + 1] = NAN;
  for (std::size_t row = 15000; row < kBareRows; ++row) rows[3 * row] = INFINITY;
  const std::string path = folder.file("a.npy", npy_of<double>(rows, "<f8"));
  for (const int threads : {1, 2, 6}) {
    BareFilling filling({threads, 2, 1000, io::NonFinite::error}, {path});
    std::size_t samples = 0;
    const Error error = thrown_error([&] {
      while (const auto part = filling.filler->next()) {
        samples += part->points.size();
        filling.filler->release();
      }
    });
    CHECK(says(error, "a.npy: row 12345: y is nan"));
    if (threads > 1) CHECK(samples == 12000);  // one thread reads more rows at once
  }
}

TEST_CASE("A file of bare rows that shrinks, grows or changes while it is read is an error",
          "[bare_rows]") {
  const TemporaryFolder folder;
  const std::vector<double> rows = rows_with_holes(0);
  const std::string path = folder.file("a.npy", npy_of<double>(rows, "<f8"));
  const auto error_behind = [&](const std::function<void()>& change) {
    BareFilling filling({4, 2, 1000}, {path});
    REQUIRE(filling.filler->next());
    change();
    return thrown_error([&] {
      do filling.filler->release();
      while (filling.filler->next());
    });
  };
  SECTION("it shrinks") {
    const Error error = error_behind([&] { std::filesystem::resize_file(path, 500000); });
    CHECK(error.kind() == ErrorKind::input);
    CHECK_THAT(error.what(), ContainsSubstring("is truncated"));
  }
  SECTION("it grows") {
    const Error error = error_behind([&] { std::filesystem::resize_file(path, 800000); });
    CHECK(error.kind() == ErrorKind::input);
  }
  SECTION("another file takes its name") {
    const std::vector<double> few(rows.begin(), rows.begin() + 6000);
    const Error error = error_behind(
        [&] { std::filesystem::rename(folder.file("b.npy", npy_of<double>(few, "<f8")), path); });
    CHECK(error.kind() == ErrorKind::input);
    CHECK(says(error, "changed while it was being read"));
  }
}
