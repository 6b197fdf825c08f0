#include "bench/fit/fit_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "bench/fit/fit_quality.hpp"
#include "cli/number_format.hpp"

namespace skde::bench {
namespace {

using Rows = std::vector<const Result*>;

constexpr double kBytes = 40;  // of a member: ten floats

std::string table_row(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string percent(double share) {
  return share < 0.995 ? fmt::format("{:.2g} %", 100 * share)
                       : fmt::format("{:.0f} %", 100 * share);
}

std::string whole(double number) { return cli::format_count(static_cast<std::uint64_t>(number)); }

const Result* find_row(const Rows& rows, std::string_view method, double members) {
  const auto found = std::ranges::find_if(
      rows, [&](const Result* row) { return row->method == method && row->members == members; });
  return found == rows.end() ? nullptr : *found;
}

/// "Not measured: sklearn at K = 1024, 4096 (took longer ...)."
std::string reasons_of(const Rows& rows) {
  std::map<std::pair<std::string, std::string>, std::vector<double>> found;
  for (const Result* row : rows)
    if (!is_timed(row->status)) found[{row->method, row->reason}].push_back(*row->members);
  std::vector<std::string> texts;
  for (const auto& [what, members] : found)
    texts.push_back(
        fmt::format("{} at K = {} ({})", what.first, fmt::join(members, ", "), what.second));
  return texts.empty() ? "" : fmt::format("\nNot measured: {}.\n", fmt::join(texts, "; "));
}

std::string density_table(const std::string& cloud, const Rows& rows) {
  std::vector<std::string> methods, head{"K", "bytes"};
  for (const auto& [name, what] : kFitMethods)
    if (std::ranges::count(rows, name, &Result::method) > 0) methods.emplace_back(name);
  head.insert(head.end(), methods.begin(), methods.end());
  for (const char* const name : {"PSNR", "largest", "steps", "seconds"}) head.emplace_back(name);
  std::string text = fmt::format(
      "\n**{}**: {}{} cells along the longest side\n\n", cloud,
      rows.front()->samples > 0 ? cli::format_count(rows.front()->samples) + " samples, " : "",
      rows.front()->cells);
  text += table_row(head) + table_row(std::vector<std::string>(head.size(), "---"));
  std::set<double> counts;
  for (const Result* row : rows)
    if (is_timed(row->status)) counts.insert(*row->members);
  for (const double members : counts) {
    const Result* const fit = find_row(rows, "fit", members);
    std::vector<std::string> cells{whole(members), whole(kBytes * members)};
    for (const std::string& method : methods) {
      const Result* const row = find_row(rows, method, members);
      cells.push_back(row && row->relative_error ? percent(*row->relative_error) : "");
    }
    if (fit && fit->psnr && fit->error && fit->steps)
      for (std::string& cell :
           std::array{fmt::format("{:.1f} dB", *fit->psnr), percent(*fit->error),
                      whole(*fit->steps), fmt::format("{:.3g}", fit->seconds.front())})
        cells.push_back(std::move(cell));
    cells.resize(head.size());
    text += table_row(cells);
  }
  return text + reasons_of(rows);
}

std::string speed_table(const Rows& rows) {
  std::string text =
      "\n| what | device | K | cells a side | least | sum | derive | gather | update |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const Result* row : rows) {
    std::vector<std::string> cells{row->steps ? fmt::format("{} steps", *row->steps) : "a step",
                                   row->device, fmt::format("{}", *row->members),
                                   fmt::format("{}", row->cells)};
    const double least = row->seconds.empty() ? 0 : std::ranges::min(row->seconds);
    cells.push_back(row->seconds.empty() ? row->reason : cli::format_duration(least));
    for (const StageRecord& stage : row->stages)
      cells.push_back(fmt::format("{} ({:.0f} %)", cli::format_duration(stage.seconds),
                                  100 * stage.seconds / least));
    cells.resize(9);
    text += table_row(cells);
  }
  return text;
}

}  // namespace

std::string fit_tables(const std::vector<Result>& results) {
  std::vector<std::pair<std::string, Rows>> densities;
  Rows speed;
  for (const Result& row : results) {
    if (row.experiment == "fit-speed") speed.push_back(&row);
    if (row.experiment != "fit" || !row.members) continue;
    const auto found =
        std::ranges::find(densities, row.cloud, &std::pair<std::string, Rows>::first);
    (found == densities.end() ? densities.emplace_back(row.cloud, Rows{}) : *found)
        .second.push_back(&row);
  }
  std::string text;
  for (const auto& [cloud, rows] : densities) text += density_table(cloud, rows);
  if (!speed.empty()) text += speed_table(speed);
  return text;
}

}  // namespace skde::bench
