#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skde::io {

/// A column of a condition.
struct ConditionColumn {
  std::string name;                  ///< as typed
  std::size_t position = 0;          ///< of the name in the condition, 1-based
  bool holds_texts = false;          ///< it is compared with texts
  std::vector<std::string> texts{};  ///< these texts, sorted
  bool holds_dates = false;          ///< a date is in its comparison
};

/// The steps of a condition in postfix order: operands come before what joins them.
struct ConditionProgram {
  enum class Step : std::uint8_t {
    constant,
    column,
    minus,
    add,
    subtract,
    multiply,
    divide,
    equal,
    unlike,
    less,
    at_most,
    more,
    at_least,
    member,
    negate,
    both,
    either
  };
  struct Value {
    double number = 0, rest = 0;  ///< the value is their sum (see CarriedRows)
    std::string text{};           ///< its place among the texts of the column is `number`
    bool is_date = false;
    std::pair<double, double> parts() const { return {number, rest}; }
  };
  static constexpr std::size_t kNoColumn = ~std::size_t{0};
  struct Instruction {
    Step step{};
    std::size_t column = kNoColumn;  ///< that is read, or whose texts are `values`
    std::vector<Value> values{};     ///< the constant, or the sorted members of the list
  };

  std::vector<ConditionColumn> columns{};
  std::vector<Instruction> instructions{};
};

/// Parses a condition (see RowCondition). Throws Error(usage) that names the character.
ConditionProgram parse_condition(std::string_view text);

/// A condition on the columns of a row, as "classification in (2, 9) && (z - ground > 10 || name !=
/// 'noise')". The comparisons == (or =), !=, <, <=, > and >= compare two values, of which one has a
/// column: columns, numbers, dates and what + - * / and parentheses make of them, in double.
/// "in (2, 9)" and "not in" compare a value with a list. They are joined by && or "and", || or
/// "or", ! or "not", and parentheses; "and" binds tighter than "or". A column is compared with
/// texts as a text, byte by byte. A name with other characters than letters, digits, _ . and :
/// needs quotes or backquotes, a text needs quotes, and #3 is the column number 3 (from 1). A
/// missing value (NaN) equals nothing and is neither less nor greater than anything. Whole numbers
/// of up to 64 bits are compared with all their digits. A date is the seconds from 1970 to it.
class RowCondition {
 public:
  /// Returns an integer in a row and a column minus the double nearest to it (CarriedRows::Rest).
  using RestOf = std::function<double(std::size_t row, std::size_t column)>;

  using Column = ConditionColumn;

  /// Throws Error(usage) that names the character if the text is not a condition, is longer than
  /// 4096 bytes, or is nested more than 64 deep.
  explicit RowCondition(std::string_view text) : program_(parse_condition(text)) {}

  /// The columns that are used; a column compared with numbers and texts appears twice.
  const std::vector<Column>& columns() const { return program_.columns; }

  /// Sets holds[i] to 1 if the condition holds for row i, otherwise to 0. The values of columns()
  /// for row i begin at values[i * stride]: numbers, or for texts the results of place_among().
  /// `rest` gives what these doubles leave of whole numbers; without it, nothing.
  void evaluate(const double* values, std::size_t stride, std::span<std::uint8_t> holds,
                const RestOf& rest = {}) const;

 private:
  ConditionProgram program_;
};

/// Returns the text of a condition that holds where both do; an empty one always holds. Conditions
/// in `other` may be joined by && only, unless parentheses enclose them.
std::string both_conditions(const std::string& one, const std::string& other);

/// Returns the place of `text` among sorted texts as a number: 2 i + 1 if it is text i, 2 i if it
/// would come just before text i. Such numbers compare as the texts do.
double place_among(std::span<const std::string> texts, std::string_view text);

}  // namespace skde::io
