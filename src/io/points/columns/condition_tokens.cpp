#include "io/points/columns/condition_tokens.hpp"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <regex>
#include <utility>

#include "core/report/error.hpp"
#include "io/points/columns/carried_rows.hpp"
#include "io/text/date_time.hpp"
#include "io/text/text_fields.hpp"

namespace skde::io {
namespace {

/// Characters of a name without quotes; these include all bytes of non-ASCII characters.
bool is_name_character(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
         c == ':' || byte >= 0x80;
}

}  // namespace

void refuse_condition(std::size_t position, const std::string& what, std::string suggestion) {
  throw Error(ErrorKind::usage, fmt::format("character {} of the condition: {}", position, what),
              {"where", std::move(suggestion)});
}

std::string shown_token(const ConditionToken& token) {
  using Kind = ConditionToken::Kind;
  if (token.kind == Kind::end) return "its end";
  if (token.kind == Kind::number) return fmt::format("the number {}", token.number);
  if (token.kind == Kind::date) return "the date " + token.text;
  if (token.kind == Kind::quoted) return "the text " + excerpt(token.text);
  return excerpt(token.text);
}

ConditionToken ConditionTokens::take() {
  ConditionToken taken = std::move(next_);
  while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) ++at_;
  next_ = {};
  next_.position = at_ + 1;
  if (at_ < text_.size()) read_token(text_[at_]);
  return taken;
}

bool ConditionTokens::take_sign(std::string_view sign) {
  if (!next_.is_sign(sign)) return false;
  take();
  return true;
}

void ConditionTokens::read_token(char c) {
  if (c == '\'' || c == '"' || c == '`') return read_quoted(c);
  if (begins_as_date(text_.substr(at_))) return read_date();
  if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return read_number();
  if (c == '#' && is_digit(peek(1))) {
    ++at_;
    return read_name();
  }
  if (is_name_character(c)) return read_name();
  read_sign(c);
}

void ConditionTokens::read_quoted(char quote) {
  using Kind = ConditionToken::Kind;
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

void ConditionTokens::read_date() {
  std::string_view left = text_.substr(at_);
  const auto date = take_date_time(left);
  if (!date)
    refuse_condition(next_.position,
                     fmt::format("the calendar does not have {}", left.substr(0, 10)),
                     "write a difference of numbers with blanks");
  next_.kind = ConditionToken::Kind::date;
  next_.number = date->value();
  next_.text = text_.substr(at_, text_.size() - left.size() - at_);
  at_ += next_.text.size();
  if (at_ < text_.size() && is_name_character(text_[at_]))
    refuse_condition(at_ + 1, "the date goes on in an unknown form",
                     "write 2020-01-31 or 2020-01-31T23:59:30Z");
}

void ConditionTokens::read_number() {
  // Differences and quotients that are meant as dates, such as 2020-01, 2020-1-31 and 31/1/2020.
  static const std::regex date(
      R"((\d{4}([-/])\d\d?\2\d\d?|\d{4}-\d\d?|\d\d?([-/])\d\d?\3\d{4})(?![\d.]))");
  if (std::cmatch found; std::regex_search(text_.data() + at_, text_.data() + text_.size(), found,
                                           date, std::regex_constants::match_continuous))
    refuse_condition(next_.position, fmt::format("{} is not a date in a known form", found.str()),
                     "write 2020-01-31, or arithmetic with blanks");
  next_.kind = ConditionToken::Kind::number;
  const char* const begin = text_.data() + at_;
  const auto [end, problem] = std::from_chars(begin, text_.data() + text_.size(), next_.number);
  if (problem != std::errc{})
    refuse_condition(next_.position, "the number is beyond the range of double");
  next_.rest = rest_of_whole({begin, static_cast<std::size_t>(end - begin)});
  at_ = static_cast<std::size_t>(end - text_.data());
  if (at_ < text_.size() && is_name_character(text_[at_]))
    refuse_condition(next_.position, "a name that begins with a digit needs quotes");
}

void ConditionTokens::read_name() {
  next_.kind = ConditionToken::Kind::name;
  while (at_ < text_.size() && is_name_character(text_[at_])) next_.text += text_[at_++];
  const std::string low = lower_case(next_.text);
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kWords{
      {{"and", "&&"}, {"or", "||"}, {"not", "!"}, {"in", "in"}}};
  for (const auto& [word, sign] : kWords)
    if (low == word) {
      next_.kind = ConditionToken::Kind::sign;
      next_.text = sign;
    }
}

void ConditionTokens::read_sign(char c) {
  next_.kind = ConditionToken::Kind::sign;
  constexpr std::array<std::string_view, 16> kSigns{"&&", "||", "==", "!=", "<=", ">=", "<", ">",
                                                    "(",  ")",  "!",  "+",  "-",  "*",  "/", ","};
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

}  // namespace skde::io
