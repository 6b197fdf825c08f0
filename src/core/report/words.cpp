#include "core/report/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

namespace skde {
namespace {

/// Levenshtein distance, one row of the table at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

/// True if `typed` is a subsequence of `name` with the same first letter.
bool abbreviates(std::string_view typed, std::string_view name) {
  if (typed.size() < 2 || name.empty() || typed.front() != name.front()) return false;
  for (const char letter : typed) {
    const std::size_t at = name.find(letter);
    if (at == name.npos) return false;
    name.remove_prefix(at + 1);
  }
  return true;
}

/// The shortest name that `typed` abbreviates, or empty.
std::string_view abbreviated(std::string_view typed, std::span<const std::string_view> names) {
  std::string_view shortest;
  for (const std::string_view name : names)
    if (abbreviates(typed, name) && (shortest.empty() || name.size() < shortest.size()))
      shortest = name;
  return shortest;
}

}  // namespace

std::string_view nearest_name(std::string_view typed, std::span<const std::string_view> names) {
  constexpr std::size_t kShort = 3;  // letters; one edit in so short a word says little
  const std::string_view shortened = abbreviated(typed, names);
  std::string_view best;
  if (typed.size() <= kShort && !shortened.empty()) return shortened;
  std::size_t best_distance = std::clamp<std::size_t>((typed.size() + 1) / 3, 1, 4) + 1;
  constexpr std::size_t kLongest = 256;  // edit distances of longer words take too long
  if (typed.size() > kLongest) return {};
  for (std::string_view name : names) {
    const std::size_t distance = edit_distance(typed, name);
    if (distance < best_distance) {
      best = name;
      best_distance = distance;
    }
  }
  return best.empty() ? shortened : best;
}

std::string did_you_mean(std::string_view typed, std::span<const std::string_view> names) {
  const std::string_view nearest = nearest_name(typed, names);
  const std::string all = fmt::format("one of {}", fmt::join(names, ", "));
  if (nearest.empty()) return "use " + all;
  return fmt::format("did you mean '{}'? ({})", nearest, all);
}

}  // namespace skde
