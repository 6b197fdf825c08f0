#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skde::io {

/// A condition on the columns of a row, as "classification == 2 && (z > 10 || name != 'noise')".
/// The comparisons == (or =), !=, <, <=, > and >= compare a column with a number or a text. They
/// are joined by && or "and", || or "or", ! or "not", and parentheses; "and" binds tighter than
/// "or". A name with other characters than letters, digits, _ . and : needs quotes or backquotes, a
/// text needs quotes, and #3 is the column number 3 (from 1). A missing value (NaN) equals nothing
/// and is neither less nor greater than anything. Texts are compared byte by byte, and whole
/// numbers of up to 64 bits with all their digits.
class RowCondition {
 public:
  /// Returns an integer in a row and a column minus the double nearest to it (CarriedRows::Rest).
  using RestOf = std::function<double(std::size_t row, std::size_t column)>;

  /// A column of the condition.
  struct Column {
    std::string name;                  ///< as typed
    std::size_t position = 0;          ///< of the name in the condition, 1-based
    bool holds_texts = false;          ///< it is compared with texts
    std::vector<std::string> texts{};  ///< these texts, sorted
  };

  /// Throws Error(usage) that names the character if the text is not a condition, is longer than
  /// 4096 bytes, or is nested more than 64 deep.
  explicit RowCondition(std::string_view text);

  /// The columns that are compared; a column compared with numbers and texts appears twice.
  const std::vector<Column>& columns() const { return columns_; }

  /// Sets holds[i] to 1 if the condition holds for row i, otherwise to 0. The values of columns()
  /// for row i begin at values[i * stride]: numbers, or for texts the results of place_among().
  /// `rest` gives what these doubles leave of whole numbers; without it, nothing.
  void evaluate(const double* values, std::size_t stride, std::span<std::uint8_t> holds,
                const RestOf& rest = {}) const;

 private:
  enum class Step : std::uint8_t { compare, negate, both, either };
  enum class Comparison : std::uint8_t { equal, unlike, less, at_most, more, at_least };
  /// A step of the condition in postfix order: operands come before what joins them.
  struct Instruction {
    Step step{};
    Comparison comparison{};
    std::size_t column = 0;
    double number = 0, rest = 0;  ///< the number is their sum (see CarriedRows)
    std::string text{};           ///< text to compare with; `number` becomes its place
  };
  class Parser;

  static void compare(const Instruction& one, const double* values, std::size_t stride,
                      std::size_t rows, std::uint8_t* to);
  static void compare_rests(const Instruction& one, const double* values, std::size_t stride,
                            std::span<std::uint8_t> to, std::size_t first, const RestOf& rest);

  std::vector<Column> columns_;
  std::vector<Instruction> program_;
};

/// Returns the text of a condition that holds where both do; an empty one always holds. Conditions
/// in `other` may be joined by && only, unless parentheses enclose them.
std::string both_conditions(const std::string& one, const std::string& other);

/// Returns the place of `text` among sorted texts as a number: 2 i + 1 if it is text i, 2 i if it
/// would come just before text i. Such numbers compare as the texts do.
double place_among(std::span<const std::string> texts, std::string_view text);

}  // namespace skde::io
