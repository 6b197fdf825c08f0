#include "io/points/columns/carried_rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <tuple>

#include "io/points/columns/point_reader.hpp"

namespace skde::io {
namespace {

__extension__ using Wide = __int128;

double rest_of(Wide whole) {
  return static_cast<double>(whole - static_cast<Wide>(static_cast<double>(whole)));
}

}  // namespace

std::size_t CarriedRows::bytes() const {
  std::size_t sum = rests.size() * sizeof(Rest) + lines.size() * sizeof(std::string);
  for (const std::string& line : lines) sum += line.size();
  return sum;
}

void CarriedRows::clear() {
  rests.clear();
  lines.clear();
  comments = 0;
}

void CarriedRows::note_all(ScalarType type, bool big_endian, const char* bytes, std::size_t stride,
                           std::size_t count, std::uint64_t row, std::size_t column) {
  if (type != ScalarType::i64 && type != ScalarType::u64) return;
  const bool swapped = big_endian != (std::endian::native == std::endian::big);
  for (; count > 0; --count, ++row, bytes += stride) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes, sizeof(bits));
    if (swapped) bits = __builtin_bswap64(bits);
    note(row, column,
         skde::io::rest_of(type == ScalarType::i64 ? Wide{static_cast<std::int64_t>(bits)}
                                                   : Wide{bits}));
  }
}

double CarriedRows::rest_of(std::uint64_t row, std::size_t column) const {
  const auto key = [](const Rest& one) { return std::tuple(one.row, one.column); };
  const auto found = std::ranges::lower_bound(rests, std::tuple(row, column), {}, key);
  return found != rests.end() && key(*found) == std::tuple(row, column) ? found->rest : 0;
}

double rest_of_whole(std::string_view text) {
  constexpr std::size_t kExact = 15;  // digits that every double has
  if (text.size() <= kExact) return 0;
  const bool is_negative = text.front() == '-';
  if (is_negative || text.front() == '+') text.remove_prefix(1);
  std::uint64_t whole = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error != std::errc{} || end != text.data() + text.size()) return 0;
  return rest_of(is_negative ? -Wide{whole} : Wide{whole});
}

std::uint64_t comments_of(const PointReader& reader) {
  return reader.carried() != nullptr ? reader.carried()->comments : 0;
}

std::string exact_text(double value, double rest) {
  if (rest == 0 || std::isnan(value)) return fmt::format("{}", value);
  const Wide whole = static_cast<Wide>(value) + static_cast<Wide>(rest);
  return whole < 0 ? fmt::format("{}", static_cast<std::int64_t>(whole))
                   : fmt::format("{}", static_cast<std::uint64_t>(whole));
}

}  // namespace skde::io
