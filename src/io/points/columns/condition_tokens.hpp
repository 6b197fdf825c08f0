#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skde::io {

struct ConditionToken {
  enum class Kind : std::uint8_t { end, sign, number, date, name, quoted, backquoted } kind{};
  std::string text{};           ///< of a sign, a name or a text
  double number = 0, rest = 0;  ///< of a number; the seconds from 1970 to a date
  std::size_t position = 0;     ///< 1-based

  bool is_sign(std::string_view sign) const { return kind == Kind::sign && text == sign; }
  bool is_name() const { return kind == Kind::name || kind == Kind::backquoted; }
  bool is_number() const { return kind == Kind::number || kind == Kind::date; }
};

/// Throws Error(usage) that names the character of the condition.
[[noreturn]] void refuse_condition(std::size_t position, const std::string& what,
                                   std::string suggestion = {});

/// The token as shown in messages.
std::string shown_token(const ConditionToken& token);

/// Splits a condition into names, numbers, dates, texts and signs. The words and, or, not and in
/// are the signs && || ! and in.
class ConditionTokens {
 public:
  explicit ConditionTokens(std::string_view text) : text_(text) { take(); }

  const ConditionToken& next() const { return next_; }
  ConditionToken take();
  /// Takes the next token if it is this sign.
  bool take_sign(std::string_view sign);

 private:
  char peek(std::size_t ahead) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  void read_token(char c);
  void read_quoted(char quote);
  void read_date();
  void read_number();
  void read_name();
  void read_sign(char c);

  std::string_view text_;
  std::size_t at_ = 0;
  ConditionToken next_;
};

}  // namespace skde::io
