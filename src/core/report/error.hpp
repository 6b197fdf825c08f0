#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace skde {

/// The kinds of error.
enum class ErrorKind {
  usage,        ///< parameters or arguments that make no sense
  input,        ///< a file or a cloud that cannot be used
  output,       ///< a result that cannot be written
  resources,    ///< memory or a device that is not available
  unsupported,  ///< an engine, format or build that does not support the request
  cancelled,    ///< stopped by the user
};

/// Returns "usage", "input", "output", "resources", "unsupported" or "cancelled".
std::string_view error_kind_name(ErrorKind kind);

/// How to fix an error, as data: each interface shows it in its own words.
struct ErrorAdvice {
  /// The parameter of the request that caused the error, in snake_case: "memory_limit". Empty if
  /// none did.
  std::string parameter{};
  /// The step that fixes the error, as half a sentence. Parameters are set in backticks, with or
  /// without a value: "use smaller `dims`, or `precision=f32`".
  std::string suggestion{};
};

/// The only exception type of skde. Its texts are single lines. The problem names the thing (file,
/// line, value) and says what is wrong with it.
class Error : public std::runtime_error {
 public:
  /// what() returns the problem and the suggestion, if there is one.
  Error(ErrorKind kind, std::string problem, ErrorAdvice advice = {});

  /// The kind of error.
  ErrorKind kind() const noexcept { return kind_; }
  /// What is wrong (file, line, value), and why.
  const std::string& problem() const noexcept { return problem_; }
  /// ErrorAdvice::parameter.
  const std::string& parameter() const noexcept { return advice_.parameter; }
  /// ErrorAdvice::suggestion.
  const std::string& suggestion() const noexcept { return advice_.suggestion; }
  /// The parameter that caused the error and the step that fixes it.
  const ErrorAdvice& advice() const noexcept { return advice_; }
  /// Returns this error with the name `to` for the parameter `from`, where the parameter and the
  /// suggestion name it.
  Error renaming(const std::string& from, const std::string& to) const;

  /// True if kind and what() are equal.
  friend bool operator==(const Error& a, const Error& b) {
    return a.kind_ == b.kind_ && std::string_view(a.what()) == b.what();
  }

 private:
  ErrorKind kind_;
  std::string problem_;
  ErrorAdvice advice_;
};

/// Returns `text` with each part between backticks replaced by show(name, value). The value is
/// empty if the text has none.
template <class Show>
std::string with_parameters(std::string_view text, const Show& show) {
  std::string shown;
  while (true) {
    const std::size_t begin = text.find('`'), end = text.find('`', begin + 1);
    if (begin == text.npos || end == text.npos) return shown.append(text);
    const std::string_view inside = text.substr(begin + 1, end - begin - 1);
    const std::size_t equals = inside.find('=');
    shown.append(text.substr(0, begin));
    shown += show(inside.substr(0, equals),
                  equals == inside.npos ? std::string_view() : inside.substr(equals + 1));
    text.remove_prefix(end + 1);
  }
}

/// A result that was computed as asked and may still mislead. Its texts are single lines, as in
/// Error.
struct Warning {
  std::string kind;      ///< in snake_case, for programs: "mass_in_box"
  std::string problem;   ///< what may mislead, and why
  ErrorAdvice advice{};  ///< how to avoid it
};

}  // namespace skde
