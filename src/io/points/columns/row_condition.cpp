#include "io/points/columns/row_condition.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <utility>

#include "core/report/error.hpp"
#include "io/points/columns/carried_rows.hpp"
#include "io/text/text_fields.hpp"

namespace skde::io {
namespace {

constexpr std::size_t kLongestCondition = 4096;
constexpr int kDeepestCondition = 64;

/// Characters of a name without quotes; these include all bytes of non-ASCII characters.
bool is_name_character(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
         c == ':' || byte >= 0x80;
}

}  // namespace

struct ConditionToken {
  enum class Kind : std::uint8_t { end, sign, number, name, quoted, backquoted } kind{};
  std::string text{};  ///< of a sign, a name or a text
  double number = 0, rest = 0;
  std::size_t position = 0;  ///< 1-based

  bool is_sign(std::string_view sign) const { return kind == Kind::sign && text == sign; }
  bool is_name() const { return kind == Kind::name || kind == Kind::backquoted; }
};

namespace {

[[noreturn]] void refuse_condition(std::size_t position, const std::string& what,
                                   std::string suggestion = {}) {
  throw Error(ErrorKind::usage, fmt::format("character {} of the condition: {}", position, what),
              {"where", std::move(suggestion)});
}

/// The token as shown in messages.
std::string shown_token(const ConditionToken& token) {
  using Kind = ConditionToken::Kind;
  if (token.kind == Kind::end) return "its end";
  if (token.kind == Kind::number) return fmt::format("the number {}", token.number);
  if (token.kind == Kind::quoted) return "the text " + excerpt(token.text);
  return excerpt(token.text);
}

}  // namespace

/// Splits a condition into names, numbers, texts and signs.
class ConditionTokens {
 public:
  explicit ConditionTokens(std::string_view text) : text_(text) { take(); }

  const ConditionToken& next() const { return next_; }

  ConditionToken take() {
    ConditionToken taken = std::move(next_);
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) ++at_;
    next_ = {};
    next_.position = at_ + 1;
    if (at_ < text_.size()) read_token(text_[at_]);
    return taken;
  }

 private:
  using Kind = ConditionToken::Kind;

  char peek(std::size_t ahead) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void read_token(char c) {
    if (c == '\'' || c == '"' || c == '`') return read_quoted(c);
    const bool is_signed = c == '-' || c == '+';
    const char first = is_signed ? peek(1) : c, second = peek(is_signed ? 2 : 1);
    if (is_digit(first) || (first == '.' && is_digit(second))) return read_number();
    if (c == '#' && is_digit(peek(1))) {
      ++at_;
      return read_name();
    }
    if (is_name_character(c)) return read_name();
    read_sign(c);
  }

  void read_quoted(char quote) {
    next_.kind = quote == '`' ? Kind::backquoted : Kind::quoted;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == quote) {
        if (peek(1) != quote) break;
        ++at_;  // a doubled quote is a quote in the text
      }
      next_.text += text_[at_];
    }
    if (at_ == text_.size())
      refuse_condition(next_.position, fmt::format("the quote {} is not closed", quote));
    ++at_;
  }

  void read_number() {
    next_.kind = Kind::number;
    const char* const begin = text_.data() + at_ + (text_[at_] == '+' ? 1 : 0);
    const auto [end, problem] = std::from_chars(begin, text_.data() + text_.size(), next_.number);
    if (problem != std::errc{})
      refuse_condition(next_.position, "the number is beyond the range of double");
    next_.rest = rest_of_whole({begin, static_cast<std::size_t>(end - begin)});
    at_ = static_cast<std::size_t>(end - text_.data());
    if (at_ < text_.size() && is_name_character(text_[at_]))
      refuse_condition(next_.position, "a name that begins with a digit needs quotes");
  }

  void read_name() {
    next_.kind = Kind::name;
    while (at_ < text_.size() && is_name_character(text_[at_])) next_.text += text_[at_++];
    const std::string low = lower_case(next_.text);
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kWords{
        {{"and", "&&"}, {"or", "||"}, {"not", "!"}}};
    for (const auto& [word, sign] : kWords)
      if (low == word) {
        next_.kind = Kind::sign;
        next_.text = sign;
      }
  }

  void read_sign(char c) {
    next_.kind = Kind::sign;
    constexpr std::array<std::string_view, 11> kSigns{
        "&&", "||", "==", "!=", "<=", ">=", "<", ">", "(", ")", "!"};
    for (const std::string_view sign : kSigns)
      if (text_.substr(at_).starts_with(sign)) {
        next_.text = sign;
        at_ += sign.size();
        return;
      }
    ++at_;
    if (c == '=') {
      next_.text = "==";
      return;
    }
    std::string advice = "put names of columns and texts with such characters in quotes";
    if (c == '&' || c == '|') advice = fmt::format("write {0}{0}", c);
    refuse_condition(next_.position, fmt::format("{} is not an operator", excerpt({&c, 1})),
                     std::move(advice));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  ConditionToken next_;
};

/// Grammar. or: and ("||" and)*; and: not ("&&" not)*; not: "!" not | "(" or ")" | comparison.
class RowCondition::Parser {
 public:
  Parser(std::string_view text, RowCondition& result) : tokens_(text), result_(result) {}

  void parse() {
    parse_or(0);
    const ConditionToken& left = tokens_.next();
    if (left.kind == ConditionToken::Kind::end) return;
    if (comparison_of(left) != nullptr)
      refuse_condition(left.position, "two comparisons have no operator between them",
                       "write '0 < z && z < 10' for '0 < z < 10'");
    refuse_condition(left.position,
                     fmt::format("expected && or || instead of {}", shown_token(left)));
  }

 private:
  using Kind = ConditionToken::Kind;
  struct Sign {
    std::string_view text;
    Comparison comparison, turned;  ///< the comparison with its sides swapped
  };

  static const Sign* comparison_of(const ConditionToken& token) {
    using enum Comparison;
    static constexpr std::array<Sign, 6> kComparisons{{{"==", equal, equal},
                                                       {"!=", unlike, unlike},
                                                       {"<", less, more},
                                                       {"<=", at_most, at_least},
                                                       {">", more, less},
                                                       {">=", at_least, at_most}}};
    const auto* const found = std::ranges::find_if(
        kComparisons, [&](const Sign& sign) { return token.is_sign(sign.text); });
    return found == kComparisons.end() ? nullptr : found;
  }

  void parse_or(int depth) {
    parse_and(depth);
    while (tokens_.next().is_sign("||")) {
      tokens_.take();
      parse_and(depth);
      result_.program_.push_back({.step = Step::either});
    }
  }

  void parse_and(int depth) {
    parse_not(depth);
    while (tokens_.next().is_sign("&&")) {
      tokens_.take();
      parse_not(depth);
      result_.program_.push_back({.step = Step::both});
    }
  }

  void parse_not(int depth) {
    if (depth > kDeepestCondition)
      refuse_condition(tokens_.next().position,
                       fmt::format("parentheses are nested more than {} deep", kDeepestCondition));
    if (tokens_.next().is_sign("!")) {
      tokens_.take();
      parse_not(depth + 1);
      result_.program_.push_back({.step = Step::negate});
    } else if (tokens_.next().is_sign("(")) {
      const std::size_t open = tokens_.take().position;
      parse_or(depth + 1);
      if (!tokens_.next().is_sign(")"))
        refuse_condition(tokens_.next().position,
                         fmt::format("expected ')' for the '(' at character {} instead of {}", open,
                                     shown_token(tokens_.next())));
      tokens_.take();
    } else {
      parse_comparison();
    }
  }

  ConditionToken take_operand() {
    const ConditionToken& next = tokens_.next();
    if (next.kind == Kind::end || next.kind == Kind::sign)
      refuse_condition(
          next.position,
          fmt::format("expected a column, a number or a text instead of {}", shown_token(next)));
    return tokens_.take();
  }

  void parse_comparison() {
    ConditionToken left = take_operand();
    const Sign* const sign = comparison_of(tokens_.next());
    if (sign == nullptr)
      refuse_condition(tokens_.next().position,
                       fmt::format("expected a comparison (== != < <= > >=) after {} instead of {}",
                                   shown_token(left), shown_token(tokens_.next())));
    tokens_.take();
    ConditionToken right = take_operand();
    const bool turned = left.kind == Kind::number && right.kind != Kind::number;
    if (turned || (left.kind == Kind::quoted && right.is_name()))
      add_comparison(std::move(right), sign->turned, std::move(left));
    else
      add_comparison(std::move(left), sign->comparison, std::move(right));
  }

  void add_comparison(ConditionToken column, Comparison comparison, ConditionToken value) {
    if (column.kind == Kind::number)
      refuse_condition(column.position, "it compares two numbers and no column",
                       "write a column's number (from 1) as #4");
    if (value.is_name())
      refuse_condition(
          value.position,
          fmt::format("a column must be compared with a number or a quoted text; {} is a name",
                      shown_token(value)),
          fmt::format("put a text in quotes: '{}'", value.text));
    const bool is_text = value.kind == Kind::quoted;
    std::vector<Column>& columns = result_.columns_;
    auto found = std::ranges::find_if(columns, [&](const Column& other) {
      return other.name == column.text && other.holds_texts == is_text;
    });
    if (found == columns.end())
      found = columns.insert(columns.end(), {std::move(column.text), column.position, is_text});
    if (is_text) found->texts.push_back(value.text);
    result_.program_.push_back({Step::compare, comparison,
                                static_cast<std::size_t>(found - columns.begin()), value.number,
                                value.rest, std::move(value.text)});
  }

  ConditionTokens tokens_;
  RowCondition& result_;
};

RowCondition::RowCondition(std::string_view text) {
  if (text.size() > kLongestCondition)
    throw Error(ErrorKind::usage,
                fmt::format("the condition is longer than {} bytes", kLongestCondition),
                {"where", "use a shorter condition, or remove the rows from the file"});
  Parser(text, *this).parse();
  for (Column& column : columns_) {
    std::ranges::sort(column.texts);
    column.texts.erase(std::unique(column.texts.begin(), column.texts.end()), column.texts.end());
  }
  for (Instruction& one : program_)
    if (one.step == Step::compare && columns_[one.column].holds_texts)
      one.number = place_among(columns_[one.column].texts, one.text);
}

void RowCondition::compare(const Instruction& one, const double* values, std::size_t stride,
                           std::size_t rows, std::uint8_t* to) {
  const auto all = [&](auto holds) {
    for (std::size_t row = 0; row < rows; ++row)
      to[row] = holds(values[row * stride + one.column], one.number) ? 1 : 0;
  };
  switch (one.comparison) {
    case Comparison::equal:
      return all(std::equal_to<>());
    case Comparison::unlike:
      return all(std::not_equal_to<>());
    case Comparison::less:
      return all(std::less<>());
    case Comparison::at_most:
      return all(std::less_equal<>());
    case Comparison::more:
      return all(std::greater<>());
    case Comparison::at_least:
      return all(std::greater_equal<>());
  }
}

/// Doubles that are equal may stand for whole numbers that are not.
void RowCondition::compare_rests(const Instruction& one, const double* values, std::size_t stride,
                                 std::span<std::uint8_t> to, std::size_t first,
                                 const RestOf& rest) {
  constexpr double kExact = 0x1p53;
  if (std::abs(one.number) < kExact) return;
  Instruction rests = one;
  rests.number = one.rest;
  rests.column = 0;
  for (std::size_t row = 0; row < to.size(); ++row) {
    if (values[row * stride + one.column] != one.number) continue;
    const double own = rest ? rest(first + row, one.column) : 0;
    compare(rests, &own, 1, 1, &to[row]);
  }
}

void RowCondition::evaluate(const double* values, std::size_t stride, std::span<std::uint8_t> holds,
                            const RestOf& rest) const {
  constexpr std::size_t kRowsAtOnce = 1024;  // their results stay in a core's cache
  std::vector<std::array<std::uint8_t, kRowsAtOnce>> stack;
  for (std::size_t first = 0; first < holds.size(); first += kRowsAtOnce) {
    const std::size_t rows = std::min(kRowsAtOnce, holds.size() - first);
    std::size_t height = 0;
    for (const Instruction& one : program_) {
      if (one.step == Step::compare) {
        if (stack.size() == height) stack.emplace_back();
        std::uint8_t* const to = stack[height++].data();
        compare(one, values + first * stride, stride, rows, to);
        compare_rests(one, values + first * stride, stride, {to, rows}, first, rest);
        continue;
      }
      auto& last = stack[height - 1];
      if (one.step == Step::negate) {
        for (std::size_t row = 0; row < rows; ++row) last[row] ^= 1;
        continue;
      }
      auto& before = stack[height - 2];
      const bool both = one.step == Step::both;
      for (std::size_t row = 0; row < rows; ++row)
        before[row] = both ? before[row] & last[row] : before[row] | last[row];
      --height;
    }
    std::copy_n(stack[0].data(), rows, holds.data() + first);
  }
}

std::string both_conditions(const std::string& one, const std::string& other) {
  if (one.empty() || other.empty()) return one + other;
  return fmt::format("({}) && {}", one, other);
}

double place_among(std::span<const std::string> texts, std::string_view text) {
  const auto found = std::ranges::lower_bound(texts, text, std::less<>());
  const auto before = static_cast<double>(found - texts.begin());
  return found != texts.end() && *found == text ? 2 * before + 1 : 2 * before;
}

}  // namespace skde::io
