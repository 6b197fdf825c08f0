#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/text/text_fields.hpp"
#include "io/values/scalar_type.hpp"

namespace skde::io {

/// The parts of rows that doubles cannot hold: digits of large integers, and texts.
struct CarriedRows {
  /// A whole number that a double rounds is the double plus `rest`. Columns count from x, y, z on:
  /// then come the weight if there is one, bandwidths and others.
  struct Rest {
    std::uint64_t row = 0;
    std::size_t column = 0;
    double rest = 0;
    friend auto operator<=>(const Rest&, const Rest&) = default;
  };
  std::vector<Rest> rests{};         ///< by rows, then columns
  std::vector<std::string> lines{};  ///< rows of a text as they are, if they are wanted
  Delimiter delimiter{};             ///< of their fields
  std::vector<std::string> names{};  ///< of their fields; empty for those without one
  std::uint64_t comments = 0;        ///< lines among the rows that were taken for comments

  /// Bytes of memory.
  std::size_t bytes() const;
  /// Forgets the rows.
  void clear();
  void note(std::uint64_t row, std::size_t column, double rest) {
    if (rest != 0) rests.push_back({row, column, rest});
  }
  /// Notes the rests of `count` stored values, one every `stride` bytes, of rows from `row` on.
  void note_all(ScalarType type, bool big_endian, const char* bytes, std::size_t stride,
                std::size_t count, std::uint64_t row, std::size_t column);
  /// The rest of a value; 0 if it is a double.
  double rest_of(std::uint64_t row, std::size_t column) const;
};

/// Returns what the nearest double leaves of a whole number of up to 64 bits, written in digits; 0
/// for other texts.
double rest_of_whole(std::string_view text);

/// Returns the shortest text of a double, or all digits of a whole number with a rest.
std::string exact_text(double value, double rest);

}  // namespace skde::io
