#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skde::io {

/// A condition on the columns of a row, as "classification == 2 && (z > 10 || name != 'noise')":
/// comparisons == (or =), !=, <, <=, > and >= of a column with a number or a text, joined by && or
/// "and", || or "or", ! or "not", and parentheses; "and" binds tighter than "or". A name of other
/// characters than letters, digits, _ . and : stands between quotes or backquotes, a text between
/// quotes, a column's number (from 1) behind #. A value that is missing (NaN) equals nothing and is
/// neither less nor more than anything. Texts are compared byte by byte.
class RowCondition {
 public:
  /// A column of the condition.
  struct Column {
    std::string name;                  ///< as it was typed
    std::size_t position = 0;          ///< of the name in the condition, from 1
    bool holds_texts = false;          ///< it is compared with texts
    std::vector<std::string> texts{};  ///< these, in their order
  };

  /// Error(usage) that names the character where the text is no condition, and where it is longer
  /// than 4096 bytes or nested deeper than 64 times.
  explicit RowCondition(std::string_view text);

  /// The columns that are compared; one that is compared with numbers and texts is two of them.
  const std::vector<Column>& columns() const { return columns_; }

  /// Which rows it holds for. Of row i the values of columns() stand at values[i * stride] and
  /// behind it: numbers, and what place_among() makes of texts. 1 or 0 for each of holds.size()
  /// rows.
  void evaluate(const double* values, std::size_t stride, std::span<std::uint8_t> holds) const;

 private:
  enum class Step : std::uint8_t { compare, negate, both, either };
  enum class Comparison : std::uint8_t { equal, unlike, less, at_most, more, at_least };
  /// The condition in the order in which it is worked out: operands before what joins them.
  struct Instruction {
    Step step{};
    Comparison comparison{};
    std::size_t column = 0;
    double number = 0;
    std::string text{};  ///< whose place the number becomes
  };
  class Parser;

  static void compare(const Instruction& one, const double* values, std::size_t stride,
                      std::size_t rows, std::uint8_t* to);

  std::vector<Column> columns_;
  std::vector<Instruction> program_;
};

/// Where `text` stands among texts in their order, as a number: 2 i + 1 where it is the text i, 2 i
/// where it would stand before that. Such numbers are equal, less or more as the texts are.
double place_among(std::span<const std::string> texts, std::string_view text);

}  // namespace skde::io
