#include "io/points/columns/point_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "io/text/text_fields.hpp"

namespace skde::io {
namespace {

/// Returns a whole number without its point and the zeros after it: 3 for 3.0.
std::string_view without_zeros(std::string_view text) {
  const std::size_t sign = text.starts_with('-') ? 1 : 0, point = text.find('.');
  if (point == text.npos || point <= sign) return text;
  const bool is_whole = text.find_first_not_of('0', point + 1) == text.npos &&
                        std::ranges::all_of(text.substr(sign, point - sign), is_digit);
  return is_whole ? text.substr(0, point) : text;
}

}  // namespace

std::uint32_t CategoryNames::add(std::string_view text) {
  if (const auto found = by_text_.find(text); found != by_text_.end()) return found->second;
  const auto category = static_cast<std::uint32_t>(names_.size());
  names_.emplace_back(text);
  rows_.push_back(0);
  by_text_.emplace(text, category);
  return category;
}

std::uint32_t CategoryNames::of(std::string_view text) {
  const std::uint32_t category =
      add(text.empty() ? std::string_view("(empty)") : without_zeros(text));
  ++rows_[category];
  return category;
}

std::uint32_t CategoryNames::of(double number) {
  const double unsigned_zero = number + 0.0;
  const auto [place, is_new] =
      by_number_.try_emplace(std::bit_cast<std::uint64_t>(unsigned_zero), 0);
  if (is_new) place->second = add(std::isnan(number) ? "nan" : fmt::format("{}", unsigned_zero));
  ++rows_[place->second];
  return place->second;
}

std::uint64_t CategoryNames::rows() const {
  return std::accumulate(rows_.begin(), rows_.end(), std::uint64_t{0});
}

std::string CategoryNames::commonest() const {
  constexpr std::size_t kMost = 5;
  std::vector<std::size_t> order(names_.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>{}, [&](std::size_t i) { return rows_[i]; });
  std::string list;
  for (std::size_t i = 0; i < std::min(kMost, order.size()); ++i)
    list.append(i > 0 ? ", " : "")
        .append(fmt::format("{} ({})", excerpt(names_[order[i]]), rows_[order[i]]));
  return order.size() > kMost ? list + ", ..." : list;
}

}  // namespace skde::io
