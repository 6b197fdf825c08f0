#include "order/row_sort.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <numeric>
#include <random>

#include "support/catch.hpp"
#include "support/references/curve_reference.hpp"
#include "support/silent.hpp"
#include "support/skipped_test.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using namespace skde::test;

namespace {

/// Rows of a position and a number of its own, so that rows of equal keys can be told apart.
struct MemoryRow {
  std::array<double, 3> at;
  std::int64_t number;
  friend bool operator==(const MemoryRow&, const MemoryRow&) = default;
};
using MemoryRows = std::vector<MemoryRow>;

class RowsInMemory final : public io::RowSource {
 public:
  explicit RowsInMemory(const MemoryRows& rows) : own_(rows) {}
  std::uint64_t rows() const override { return own_.size(); }
  std::size_t row_bytes() const override { return sizeof(MemoryRow); }
  void read(std::uint64_t first, std::size_t count, char* to) const override {
    std::memcpy(to, own_.data() + first, count * sizeof(MemoryRow));
  }
  std::string place_of(std::uint64_t row) const override {
    return "memory: row " + std::to_string(row + 1);
  }

 private:
  const MemoryRows& own_;
};

io::RecordLayout layout_of_rows() {
  io::RecordLayout layout;
  layout.stride = sizeof(MemoryRow);
  for (std::size_t axis = 0; axis < 3; ++axis) layout.xyz[axis].offset = 8 * axis;
  layout.widths.push_back({.offset = 24, .type = io::ScalarType::i64});
  return layout;
}

struct SortOutcome {
  MemoryRows rows;
  std::uint64_t runs = 0;
};

SortOutcome sorted_rows(const MemoryRows& given, OrderBy by, bool reverse, std::int64_t memory) {
  const RowsInMemory source(given);
  RowKeys keys(source, layout_of_rows(), by, reverse);
  const TemporaryFolder folder;
  const std::unique_ptr<KeySorter> sorter = cpu_key_sorter();
  SortOutcome outcome{MemoryRows(given.size()), 0};
  outcome.runs = sort_rows(
      source, keys,
      {.sorter = *sorter,
       .memory = memory,
       .scratch_beside = folder.path("out"),
       .piece_bytes = 4096},
      [&](std::uint64_t first, std::span<const char> bytes) {
        std::memcpy(outcome.rows.data() + first, bytes.data(), bytes.size());
      },
      silent);
  CHECK(folder.names().empty());
  return outcome;
}

/// Rows by a stable sort of codes that the reference computes.
MemoryRows by_reference(const MemoryRows& rows, bool hilbert, bool reverse) {
  std::vector<double> xyz;
  for (const MemoryRow& row : rows) xyz.insert(xyz.end(), row.at.begin(), row.at.end());
  Box box{{xyz[0], xyz[1], xyz[2]}, {xyz[0], xyz[1], xyz[2]}};
  for (std::size_t i = 0; i < xyz.size(); ++i) {
    double &low = box.lower[static_cast<int>(i % 3)], &high = box.upper[static_cast<int>(i % 3)];
    low = std::min(low, xyz[i]);
    high = std::max(high, xyz[i]);
  }
  const std::vector<std::uint64_t> codes = reference_codes(xyz, box, hilbert);
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return reverse ? codes[b] < codes[a] : codes[a] < codes[b];
  });
  MemoryRows sorted;
  for (const std::size_t row : order) sorted.push_back(rows[row]);
  return sorted;
}

/// Rows whose positions `draw` draws.
template <class Draw>
MemoryRows rows_by(std::size_t count, Draw draw) {
  MemoryRows rows(count);
  for (std::size_t i = 0; i < count; ++i)
    rows[i] = {{draw(), draw(), draw()}, static_cast<std::int64_t>(i)};
  return rows;
}

/// 2^31 + 5 rows of one byte, nearly all of them 7.
class SparseRows final : public io::RowSource {
 public:
  static constexpr std::uint64_t kRows = (std::uint64_t{1} << 31) + 5;
  static constexpr char kUsual = 7;
  std::map<std::uint64_t, char> others{
      {0, 9}, {5, 7}, {kRows / 2, 3}, {kRows - 2, 9}, {kRows - 1, 0}};

  std::uint64_t rows() const override { return kRows; }
  std::size_t row_bytes() const override { return 1; }
  void read(std::uint64_t first, std::size_t count, char* to) const override {
    std::memset(to, kUsual, count);
    for (auto other = others.lower_bound(first);
         other != others.end() && other->first < first + count; ++other)
      to[other->first - first] = other->second;
  }
  std::string place_of(std::uint64_t) const override { return {}; }
};

}  // namespace

TEST_CASE("rows in runs on disk are in the order of rows in memory, which is the reference's") {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(-3, 8);
  std::normal_distribution<double> normal;
  MemoryRows rows;
  SECTION("random rows") {
    rows = rows_by(20'000, [&] { return uniform(random); });
  }
  SECTION("clusters") {
    rows = rows_by(20'000, [&] { return std::exp(4 * normal(random)); });
  }
  SECTION("equal rows") {
    rows = rows_by(9'000, [&] { return 4.0; });
  }
  SECTION("few places, with many rows each") {
    rows = rows_by(20'000, [&] { return static_cast<double>(random() % 2); });
  }
  SECTION("one row that differs") {
    rows = rows_by(10'000, [&] { return 1.0; });
    rows[9'998].at = {-1, -1, -1};
  }
  SECTION("one row") {
    rows = rows_by(1, [&] { return 1.0; });
  }
  for (const bool hilbert : {false, true})
    for (const bool reverse : {false, true}) {
      const OrderBy by = hilbert ? OrderBy::hilbert : OrderBy::morton;
      const MemoryRows expected = by_reference(rows, hilbert, reverse);
      const SortOutcome in_memory = sorted_rows(rows, by, reverse, std::int64_t{1} << 30);
      CHECK(in_memory.runs == 1);
      CHECK(in_memory.rows == expected);
      for (const std::int64_t memory : {20'000, 150'000}) {
        if (rows.size() == 1) continue;
        const SortOutcome in_runs = sorted_rows(rows, by, reverse, memory);
        CHECK(in_runs.runs > 2);
        CHECK(in_runs.rows == expected);
      }
    }
}

TEST_CASE("rows are sorted by a column with all its bits") {
  std::mt19937_64 random(3);
  MemoryRows rows = rows_by(5'000, [&] { return static_cast<double>(random() % 100); });
  for (MemoryRow& row : rows)
    row.number = std::numeric_limits<std::int64_t>::min() + static_cast<std::int64_t>(random() % 9);
  rows[77].number = std::numeric_limits<std::int64_t>::max();
  MemoryRows expected = rows;
  const bool reverse = GENERATE(false, true);
  std::ranges::stable_sort(expected, [&](const MemoryRow& a, const MemoryRow& b) {
    return reverse ? b.number < a.number : a.number < b.number;
  });
  for (const std::int64_t memory : {30'000, 10'000'000})
    CHECK(sorted_rows(rows, OrderBy::column, reverse, memory).rows == expected);
}

TEST_CASE("a row without a place in the order is named, wherever it is") {
  MemoryRows rows = rows_by(5'000, [] { return 0.5; });
  rows[4'321].at[1] = GENERATE(HUGE_VAL, -HUGE_VAL, std::nan(""));
  rows[4'900].at[0] = HUGE_VAL;
  for (const std::int64_t memory : {30'000, 10'000'000}) {
    check_thrown(ErrorKind::input, {"memory: row 4322: a coordinate is not finite"},
                 [&] { sorted_rows(rows, OrderBy::morton, false, memory); });
  }
}

TEST_CASE("doubles keep their order as keys, and the two zeros are equal") {
  const std::vector<double> values{0.0, -1.5, -0.0, HUGE_VAL, 5e-324, -HUGE_VAL, -5e-324, 1e300};
  io::RecordLayout layout;
  layout.stride = sizeof(double);
  layout.widths.push_back({});
  const MemoryRows none;
  const RowsInMemory source(none);
  RowKeys keys(source, layout, OrderBy::column, false);
  std::vector<std::uint64_t> found(values.size());
  keys.write(0, reinterpret_cast<const char*>(values.data()), found);
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = 0; j < values.size(); ++j)
      CHECK((found[i] < found[j]) == (values[i] < values[j]));
}

TEST_CASE("more rows than a signed number of 32 bits counts are sorted") {
#ifdef SKDE_SANITIZED
  if (skipped("two billion rows take too long under sanitizers")) return;
#endif
  const SparseRows source;
  io::RecordLayout layout;
  layout.stride = 1;
  layout.widths.push_back({.type = io::ScalarType::u8});
  RowKeys keys(source, layout, OrderBy::column, false);
  const TemporaryFolder folder;
  const std::unique_ptr<KeySorter> sorter = cpu_key_sorter();
  std::mutex mutex;
  std::uint64_t rows = 0;
  std::map<std::uint64_t, char> unusual;
  const std::uint64_t runs = sort_rows(
      source, keys,
      {.sorter = *sorter, .memory = std::int64_t{1} << 28, .scratch_beside = folder.path("out")},
      [&](std::uint64_t first, std::span<const char> bytes) {
        const std::lock_guard lock(mutex);
        rows += bytes.size();
        const char* const end = bytes.data() + bytes.size();
        const auto differs = [](char byte) { return byte != SparseRows::kUsual; };
        if (std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0 &&
            bytes.front() == SparseRows::kUsual)
          return;
        for (const char* at = std::find_if(bytes.data(), end, differs); at != end;
             at = std::find_if(at + 1, end, differs))
          unusual[first + static_cast<std::uint64_t>(at - bytes.data())] = *at;
      },
      silent);
  CHECK(runs > 100);
  CHECK(rows == SparseRows::kRows);
  constexpr std::uint64_t kLast = SparseRows::kRows - 1;
  CHECK(unusual == std::map<std::uint64_t, char>{{0, 0}, {1, 3}, {kLast - 1, 9}, {kLast, 9}});
}
