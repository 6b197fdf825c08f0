#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "bench/results/results.hpp"
#include "bench/sort/sort_tables.hpp"
#include "bench/sort/sorters.hpp"
#include "support/catch.hpp"
#include "support/child_program.hpp"
#include "support/temporary_folder.hpp"

using namespace skde;
using namespace skde::bench;
using namespace skde::test;

namespace {

/// Runs `skde-bench sort`, which must succeed, and reads its results.
RunRecord sorts_of(const TemporaryFolder& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "sort");
  arguments.insert(arguments.end(), {"--json", folder.path("sorts.json")});
  const RunResult run = run_child(SKDE_BENCH_PROGRAM, arguments, {});
  INFO("standard error: " << run.err);
  REQUIRE(run.exit_code == 0);
  return read_results(folder.path("sorts.json"));
}

SortItems pairs_of(std::vector<std::uint64_t> keys, std::vector<std::uint32_t> values) {
  return {std::move(keys), std::move(values)};
}

}  // namespace

TEST_CASE("keys to be sorted have the pattern that is asked for") {
  for (const auto& [name, type] : kSortedTypes) {
    INFO(name);
    const SortItems few = make_sort_items({type, KeyPattern::few, 4000, 3});
    std::visit(
        [](auto keys) {
          using Key = typename decltype(keys)::value_type;
          std::ranges::sort(keys);
          keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
          CHECK(keys.size() == 16);
          CHECK(keys.front() == 0);
          CHECK(keys.back() == static_cast<Key>(-1));
        },
        few.keys);
    const SortItems sorted = make_sort_items({type, KeyPattern::sorted, 4000, 3});
    CHECK(fault_of(sorted, sorted, true).empty());
    const SortItems uniform = make_sort_items({type, KeyPattern::uniform, 4000, 3});
    CHECK_FALSE(fault_of(uniform, uniform, true).empty());
    CHECK(uniform.keys == make_sort_items({type, KeyPattern::uniform, 4000, 3}).keys);
    CHECK(uniform.keys != make_sort_items({type, KeyPattern::uniform, 4000, 4}).keys);
    CHECK(uniform.values.size() == (type == SortedType::pairs ? 4000u : 0u));
  }
}

TEST_CASE("a wrong result of a sort is found") {
  const SortItems keys{std::vector<std::uint32_t>{5, 3, 5, 1}};
  const auto fault = [&](std::vector<std::uint32_t> result) {
    return fault_of(keys, {std::move(result)}, true);
  };
  CHECK(fault({1, 3, 5, 5}).empty());
  CHECK(fault({1, 5, 3, 5}) == "1 keys are below the one before them");
  CHECK(fault({1, 3, 3, 5}) == "the keys are not those that were given");
  CHECK(fault({1, 3, 5}) == "3 of 4 items are left");
  const SortItems pairs = pairs_of({5, 3, 5, 1}, {0, 1, 2, 3});
  CHECK(fault_of(pairs, pairs_of({1, 3, 5, 5}, {3, 1, 0, 2}), true).empty());
  CHECK(fault_of(pairs, pairs_of({1, 3, 5, 5}, {3, 1, 2, 0}), false).empty());
  CHECK(fault_of(pairs, pairs_of({1, 3, 5, 5}, {3, 1, 2, 0}), true) ==
        "1 values of equal keys changed places");
  CHECK(fault_of(pairs, pairs_of({1, 3, 5, 5}, {3, 1, 0, 0}), false) ==
        "1 values are not those of their keys");
  CHECK(fault_of(pairs, pairs_of({1, 3, 5, 5}, {1, 3, 0, 9}), false) ==
        "3 values are not those of their keys");
}

TEST_CASE("sorters on the CPU sort all that they are given") {
  int checked = 0;
  for (const Sorter& sorter : sorters()) {
    if (sorter.device != Device::cpu) continue;
    for (const auto& [type_name, type] : kSortedTypes)
      for (const auto& [pattern_name, pattern] : kKeyPatterns)
        for (const std::uint64_t count : {1, 2, 33, 40000}) {
          INFO(sorter.name << ", " << pattern_name << " " << type_name << ", " << count);
          const SortItems items = make_sort_items({type, pattern, count, 1});
          const auto run = sorter.begin(items, 0);
          for (int k = 0; k < 2; ++k) {  // each sort has a new copy
            CHECK(run->sort() >= 0);
            CHECK(fault_of(items, run->take_sorted(), sorter.stable).empty());
          }
          ++checked;
        }
  }
  CHECK(checked == 2 * 3 * 3 * 4);
}

TEST_CASE("sorts are measured at powers of two, with a table") {
  const TemporaryFolder folder;
  const RunRecord run =
      sorts_of(folder, {"--sizes", "5..7", "--keys", "keys64,pairs", "--order", "few-distinct",
                        "--sorters", "std-sort,radix", "--table", folder.path("sorts.md")});
  REQUIRE(run.results.size() == 2 * 3 * 2);
  for (const Result& row : run.results) {
    CHECK(row.status == Status::ok);
    CHECK(row.device == "cpu");
    CHECK(row.seconds.size() == 5);
  }
  CHECK(run.results[0].cloud == "few-distinct keys64");
  CHECK(run.results.back().cloud == "few-distinct pairs");
  CHECK(run.results.back().samples == 128);
  const std::string table = content_of(folder.path("sorts.md"));
  CHECK(table == sort_tables(run.results));
  CHECK(table.find("| N | std-sort | radix | cub-radix / bitonic-tiles |") != table.npos);
  CHECK(table.find("\n| 2^7 | ") != table.npos);

  // Rows of other sorters stay beside those of a new run.
  const std::string kept = folder.file("kept.json", results_json(run));
  const RunRecord more = sorts_of(folder, {"--sizes", "6", "--keys", "keys64", "--order", "sorted",
                                           "--sorters", "std-sort", "--with", kept});
  REQUIRE(more.results.size() == 6 + 1);
  CHECK(more.results[0].method == "radix");
  CHECK(more.results[6].cloud == "sorted keys64");
}

TEST_CASE("the table of sorts compares the bitonic network with CUB") {
  const auto row = [](std::string method, std::uint64_t count, std::vector<double> seconds) {
    Result result;
    result.experiment = "sort";
    result.method = std::move(method);
    result.cloud = "uniform keys32";
    result.samples = count;
    result.seconds = std::move(seconds);
    if (result.seconds.empty()) refuse(result, {Status::skipped, "no time"});
    return result;
  };
  const std::string table =
      sort_tables({row("cub-radix", 32, {1e-5}), row("bitonic-tiles", 32, {1e-6, 5e-6, 9e-6}),
                   row("cub-radix", 1 << 20, {4.5e-5}), row("bitonic-tiles", 1 << 20, {9e-5}),
                   row("odd-even", 1 << 20, {})});
  CHECK(table ==
        "\n**uniform keys32**, medians\n\n"
        "| N | cub-radix | bitonic-tiles | cub-radix / bitonic-tiles |\n"
        "| --- | --- | --- | --- |\n"
        "| 2^5 | 10 us | 5 us | 2.00 |\n"
        "| 2^20 | 45 us | 90 us | 0.50 |\n"
        "\nNot run: odd-even from N = 2^20 on (skipped: no time).\n");
}

TEST_CASE("a sort is not run where it would take too long, or where its device is missing") {
  const TemporaryFolder folder;
  const RunRecord run = sorts_of(folder, {"--sizes", "10..13", "--keys", "keys32", "--order",
                                          "uniform", "--max-seconds", "1e-7"});
  const auto rows_of = [&](std::string_view method) {
    std::vector<Result> rows;
    std::ranges::copy_if(run.results, std::back_inserter(rows),
                         [&](const Result& r) { return r.method == method; });
    return rows;
  };
  const std::vector<Result> standard = rows_of("std-sort");
  REQUIRE(standard.size() == 2);  // and no more rows for larger sizes
  CHECK(standard[0].seconds.size() == 1);
  CHECK(standard[1].reason.find("more than --max-seconds 1e-07") != std::string::npos);
  for (const Sorter& sorter : sorters())
    if (const std::string why = sorter.unavailable(); !why.empty()) {
      INFO(sorter.name);
      const std::vector<Result> rows = rows_of(sorter.name);
      REQUIRE(rows.size() == 1);
      CHECK(rows[0].status == Status::skipped);
      CHECK(rows[0].reason == why);
    }
}
