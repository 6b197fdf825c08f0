#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <utility>

#include "core/report/error.hpp"
#include "io/points/columns/condition_tokens.hpp"
#include "io/points/columns/row_condition.hpp"

namespace skde::io {
namespace {

constexpr std::size_t kLongestCondition = 4096;
constexpr int kDeepestCondition = 64;

using ConditionKind = ConditionToken::Kind;
using ConditionStep = ConditionProgram::Step;
using ConditionInstruction = ConditionProgram::Instruction;
using ConditionValue = ConditionProgram::Value;

struct ConditionSign {
  std::string_view text;
  ConditionStep step;
};
constexpr std::array<ConditionSign, 6> kConditionComparisons{{{"==", ConditionStep::equal},
                                                              {"!=", ConditionStep::unlike},
                                                              {"<", ConditionStep::less},
                                                              {"<=", ConditionStep::at_most},
                                                              {">", ConditionStep::more},
                                                              {">=", ConditionStep::at_least}}};
constexpr std::array<ConditionSign, 2> kConditionSums{
    {{"+", ConditionStep::add}, {"-", ConditionStep::subtract}}};
constexpr std::array<ConditionSign, 2> kConditionProducts{
    {{"*", ConditionStep::multiply}, {"/", ConditionStep::divide}}};

const ConditionSign* find_sign(std::span<const ConditionSign> signs, const ConditionToken& token) {
  for (const ConditionSign& sign : signs)
    if (token.is_sign(sign.text)) return &sign;
  return nullptr;
}

/// A parsed operand. If it is a single token, its instructions are added once its use is known.
struct ConditionOperand {
  enum class Type : std::uint8_t { token, value, condition } type{};
  ConditionToken token{};  ///< the first one
  bool has_column = false;

  bool is_quoted() const { return type == Type::token && token.kind == ConditionKind::quoted; }
  bool is_name() const { return type == Type::token && token.is_name(); }
};

[[noreturn]] void refuse_token(const ConditionToken& token, std::string_view expected) {
  refuse_condition(token.position,
                   fmt::format("expected {} instead of {}", expected, shown_token(token)));
}

void require_shallow(const ConditionToken& token, int depth) {
  if (depth > kDeepestCondition)
    refuse_condition(token.position,
                     fmt::format("parentheses are nested more than {} deep", kDeepestCondition));
}

void require_value(const ConditionOperand& operand) {
  if (operand.type == ConditionOperand::Type::condition)
    refuse_condition(operand.token.position,
                     "expected a column, a number or a text instead of a condition");
}

void require_column(bool has_column, const ConditionOperand& first) {
  if (!has_column)
    refuse_condition(first.token.position, "it compares numbers and no column",
                     "write a column's number (from 1) as #4");
}

ConditionValue value_of(const ConditionToken& token) {
  return {token.number, token.rest, token.text, token.kind == ConditionKind::date};
}

std::size_t column_of(ConditionProgram& program, const ConditionToken& token, bool holds_texts) {
  auto found = std::ranges::find_if(program.columns, [&](const ConditionColumn& other) {
    return other.name == token.text && other.holds_texts == holds_texts;
  });
  if (found == program.columns.end())
    found = program.columns.insert(found, {token.text, token.position, holds_texts});
  return static_cast<std::size_t>(found - program.columns.begin());
}

/// Notes the columns of a comparison that has a date. Its instructions begin at number `begin`.
void note_dates(ConditionProgram& program, std::size_t begin) {
  const auto comparison = std::span(program.instructions).subspan(begin);
  if (std::ranges::none_of(comparison, [](const ConditionInstruction& one) {
        return std::ranges::any_of(one.values, &ConditionValue::is_date);
      }))
    return;
  for (const ConditionInstruction& one : comparison)
    if (one.step == ConditionStep::column) program.columns[one.column].holds_dates = true;
}

/// Grammar. or: and ("||" and)*; and: not ("&&" not)*; not: "!" not | comparison; comparison: sum
/// (sign sum | "!"? "in" "(" constant ("," constant)* ")")?; sum: product (("+" | "-") product)*;
/// product: signed (("*" | "/") signed)*; signed: ("-" | "+") signed | "(" or ")" | a token.
class ConditionParser {
 public:
  explicit ConditionParser(std::string_view text) : tokens_(text) {}

  ConditionProgram parse() {
    require_condition(parse_or(0));
    const ConditionToken& left = tokens_.next();
    if (left.kind == ConditionKind::end) return std::move(result_);
    if (find_sign(kConditionComparisons, left) != nullptr)
      refuse_condition(left.position, "two comparisons have no operator between them",
                       "write '0 < z && z < 10' for '0 < z < 10'");
    refuse_token(left, "&& or ||");
  }

 private:
  using Operand = ConditionOperand;
  using Type = Operand::Type;

  void require_condition(const Operand& operand) const {
    if (operand.type != Type::condition)
      refuse_token(tokens_.next(),
                   "a comparison (== != < <= > >= in) after " +
                       (operand.type == Type::token ? shown_token(operand.token) : "a value"));
  }

  void add(ConditionStep step) { result_.instructions.push_back({.step = step}); }

  Operand parse_or(int depth) {
    return parse_joined("||", ConditionStep::either, [&] {
      return parse_joined("&&", ConditionStep::both, [&] { return parse_not(depth); });
    });
  }

  template <class Parse>
  Operand parse_joined(std::string_view sign, ConditionStep step, const Parse& parse) {
    Operand operand = parse();
    while (tokens_.next().is_sign(sign)) {
      require_condition(operand);
      tokens_.take();
      require_condition(parse());
      add(step);
    }
    return operand;
  }

  Operand parse_not(int depth) {
    require_shallow(tokens_.next(), depth);
    if (!tokens_.take_sign("!")) return parse_comparison(depth);
    Operand operand = parse_not(depth + 1);
    require_condition(operand);
    add(ConditionStep::negate);
    return operand;
  }

  Operand parse_comparison(int depth) {
    const std::size_t begin = result_.instructions.size();
    Operand left = parse_sum(depth);
    if (left.type == Type::condition) return left;
    const ConditionSign* const sign = find_sign(kConditionComparisons, tokens_.next());
    const bool is_excluded = tokens_.take_sign("!");
    const bool is_list = tokens_.next().is_sign("in");
    if (is_excluded && !is_list) refuse_token(tokens_.next(), "'in' after 'not'");
    if (sign == nullptr && !is_list) return left;
    tokens_.take();
    if (is_list)
      parse_list(left);
    else
      parse_right_side(left, sign->step, depth);
    if (is_excluded) add(ConditionStep::negate);
    note_dates(result_, begin);
    left.type = Type::condition;
    return left;
  }

  void parse_right_side(const Operand& left, ConditionStep step, int depth) {
    const std::size_t middle = result_.instructions.size();
    Operand right = parse_sum(depth);
    require_value(right);
    require_column(left.has_column || right.has_column, left);
    const bool is_left_text = left.is_quoted() && right.is_name();
    const bool is_right_text = right.is_quoted() && (left.is_name() || left.is_quoted());
    const bool with_text = is_left_text || is_right_text;
    const std::size_t column =
        with_text ? column_of(result_, is_left_text ? right.token : left.token, true) : 0;
    // A token on the left is added before what the right side has become.
    const auto place = result_.instructions.begin() + static_cast<std::ptrdiff_t>(middle);
    if (left.type == Type::token)
      result_.instructions.insert(place, with_text ? text_side(left.token, is_left_text, column)
                                                   : instruction_of(left.token));
    if (right.type == Type::token)
      result_.instructions.push_back(with_text ? text_side(right.token, is_right_text, column)
                                               : instruction_of(right.token));
    add(step);
  }

  /// One side of the comparison of a column with a text.
  ConditionInstruction text_side(const ConditionToken& token, bool is_text, std::size_t column) {
    if (!is_text) return {ConditionStep::column, column};
    result_.columns[column].texts.push_back(token.text);
    return {ConditionStep::constant, column, {value_of(token)}};
  }

  void parse_list(const Operand& left) {
    require_column(left.has_column, left);
    expect_sign("(", "a list as (2, 9)");
    ConditionInstruction list{ConditionStep::member};
    const bool of_texts = tokens_.next().kind == ConditionKind::quoted;
    if (of_texts && left.type != Type::token)
      refuse_condition(tokens_.next().position, "only a column is compared with texts");
    if (of_texts) list.column = column_of(result_, left.token, true);
    do {
      const Operand member = parse_constant(of_texts);
      list.values.push_back(value_of(member.token));
      if (of_texts) result_.columns[list.column].texts.push_back(member.token.text);
    } while (tokens_.take_sign(","));
    expect_sign(")", "',' or ')'");
    if (of_texts)
      result_.instructions.push_back({ConditionStep::column, list.column});
    else if (left.type == Type::token)
      result_.instructions.push_back(instruction_of(left.token));
    result_.instructions.push_back(std::move(list));
  }

  Operand parse_constant(bool is_text) {
    const bool is_signed = tokens_.next().is_sign("-") || tokens_.next().is_sign("+");
    const std::size_t position = tokens_.next().position;
    const Operand constant = is_signed && !is_text ? parse_signed(0) : Operand{{}, tokens_.take()};
    if (constant.type != Type::token ||
        !(is_text ? constant.is_quoted() : constant.token.is_number()))
      refuse_condition(position, is_text ? "expected a text in quotes"
                                         : "expected a number or a date in the list");
    return constant;
  }

  void expect_sign(std::string_view sign, std::string_view expected) {
    if (!tokens_.take_sign(sign)) refuse_token(tokens_.next(), expected);
  }

  Operand parse_sum(int depth) {
    return parse_chain(kConditionSums, [&] {
      return parse_chain(kConditionProducts, [&] { return parse_signed(depth); });
    });
  }

  template <class Parse>
  Operand parse_chain(std::span<const ConditionSign> signs, const Parse& parse) {
    Operand left = parse();
    while (left.type != Type::condition) {
      const ConditionSign* const sign = find_sign(signs, tokens_.next());
      if (sign == nullptr) break;
      tokens_.take();
      make_value(left);
      Operand right = parse();
      require_value(right);
      make_value(right);
      left.has_column = left.has_column || right.has_column;
      add(sign->step);
    }
    return left;
  }

  Operand parse_signed(int depth) {
    require_shallow(tokens_.next(), depth);
    const bool is_minus = tokens_.next().is_sign("-");
    if (!is_minus && !tokens_.next().is_sign("+")) return parse_primary(depth);
    tokens_.take();
    Operand operand = parse_signed(depth + 1);
    require_value(operand);
    if (!is_minus) return operand;
    if (operand.type == Type::token && operand.token.is_number()) {
      operand.token.number = -operand.token.number;  // stays a number with all its digits
      operand.token.rest = -operand.token.rest;
    } else {
      make_value(operand);
      add(ConditionStep::minus);
    }
    return operand;
  }

  Operand parse_primary(int depth) {
    const ConditionToken& next = tokens_.next();
    const std::size_t open = next.position;
    if (tokens_.take_sign("(")) {
      Operand operand = parse_or(depth + 1);
      expect_sign(")", fmt::format("')' for the '(' at character {}", open));
      return operand;
    }
    if (next.kind == ConditionKind::end || next.kind == ConditionKind::sign)
      refuse_token(next, "a column, a number or a text");
    const bool has_column = !next.is_number();
    return {Type::token, tokens_.take(), has_column};
  }

  void make_value(Operand& operand) {
    if (operand.type == Type::token) result_.instructions.push_back(instruction_of(operand.token));
    operand.type = Type::value;
  }

  /// A number, or a column of numbers.
  ConditionInstruction instruction_of(const ConditionToken& token) {
    if (token.is_number())
      return {ConditionStep::constant, ConditionProgram::kNoColumn, {value_of(token)}};
    return {ConditionStep::column, column_of(result_, token, false)};
  }

  ConditionTokens tokens_;
  ConditionProgram result_;
};

}  // namespace

ConditionProgram parse_condition(std::string_view text) {
  if (text.size() > kLongestCondition)
    throw Error(ErrorKind::usage,
                fmt::format("the condition is longer than {} bytes", kLongestCondition),
                {"where", "use a shorter condition, or remove the rows from the file"});
  ConditionProgram program = ConditionParser(text).parse();
  for (ConditionColumn& column : program.columns) {
    std::ranges::sort(column.texts);
    column.texts.erase(std::unique(column.texts.begin(), column.texts.end()), column.texts.end());
  }
  for (ConditionInstruction& one : program.instructions) {
    for (ConditionValue& value : one.values)
      if (one.column != ConditionProgram::kNoColumn)
        value.number = place_among(program.columns[one.column].texts, value.text);
    std::ranges::sort(one.values, {}, &ConditionValue::parts);
  }
  return program;
}

double place_among(std::span<const std::string> texts, std::string_view text) {
  const auto found = std::ranges::lower_bound(texts, text, std::less<>());
  const auto before = static_cast<double>(found - texts.begin());
  return found != texts.end() && *found == text ? 2 * before + 1 : 2 * before;
}

}  // namespace skde::io
