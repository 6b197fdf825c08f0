#include "bench/sort/sort_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "bench/results/result_rows.hpp"
#include "core/cloud/statistics.hpp"

namespace skde::bench {
namespace {

/// Rows of one kind of keys: by number of items, then by sorter.
using SortRows = std::map<std::uint64_t, std::map<std::string, const Result*>>;

std::string sort_line(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

double median_of(const std::map<std::string, const Result*>& rows, const std::string& sorter) {
  const auto found = rows.find(sorter);
  if (found == rows.end() || !is_timed(found->second->status)) return 0;
  return summarize(found->second->seconds).median;
}

/// "Not run: odd-even from N = 2^18 on (...)."
std::string reasons_below(const SortRows& all) {
  std::map<std::string, std::vector<std::string>> reasons;
  for (const auto& [count, rows] : all)
    for (const auto& [sorter, row] : rows)
      if (!is_timed(row->status))
        reasons[fmt::format("{}: {}", status_name(row->status), row->reason)].push_back(
            fmt::format("{} from N = {} on", sorter, number_of_items(count)));
  std::vector<std::string> texts;
  for (const auto& [reason, sorters] : reasons)
    texts.push_back(fmt::format("{} ({})", fmt::join(sorters, ", "), reason));
  return texts.empty() ? "" : fmt::format("\nNot run: {}.\n", fmt::join(texts, "; "));
}

std::string table_of(const std::string& cloud, const SortRows& all,
                     const std::vector<std::string>& sorters) {
  std::vector<std::string> head{"N"};
  head.insert(head.end(), sorters.begin(), sorters.end());
  head.emplace_back("cub-radix / bitonic-tiles");
  std::string text = fmt::format("\n**{}**, medians\n\n", cloud) + sort_line(head) +
                     sort_line(std::vector<std::string>(head.size(), "---"));
  for (const auto& [count, rows] : all) {
    std::vector<std::string> cells{number_of_items(count)};
    for (const std::string& sorter : sorters) {
      const double seconds = median_of(rows, sorter);
      cells.push_back(seconds > 0 ? duration_text(seconds) : "");
    }
    const double ours = median_of(rows, "bitonic-tiles"), theirs = median_of(rows, "cub-radix");
    cells.push_back(ours > 0 && theirs > 0 ? fmt::format("{:.2f}", theirs / ours) : "");
    text += sort_line(cells);
  }
  return text + reasons_below(all);
}

}  // namespace

std::string sort_tables(const std::vector<Result>& results) {
  std::vector<std::string> sorters;
  std::vector<std::pair<std::string, SortRows>> kinds;
  for (const Result& row : results) {
    if (row.experiment != "sort") continue;
    if (std::ranges::count(sorters, row.method) == 0 && is_timed(row.status))
      sorters.push_back(row.method);
    const auto found =
        std::ranges::find(kinds, row.cloud, &std::pair<std::string, SortRows>::first);
    SortRows& rows =
        found == kinds.end() ? kinds.emplace_back(row.cloud, SortRows{}).second : found->second;
    rows[row.samples][row.method] = &row;
  }
  std::string text;
  for (const auto& [cloud, rows] : kinds) text += table_of(cloud, rows, sorters);
  return text;
}

}  // namespace skde::bench
