#pragma once

#include <optional>
#include <string>
#include <vector>

namespace skde {

/// The values that a field accepts, for schemas, completions and request checks.
struct ValueType {
  enum class Kind { text, whole, real };
  Kind kind = Kind::text;
  std::optional<double> least{}, most{};  ///< bounds of a number
  std::vector<std::string> words{};       ///< accepted words
  bool only_words = false;                ///< accepts only these words
};

/// The text of a field of a request: its flag or key and its explanation.
struct FieldText {
  std::string name;          ///< the flag without the dashes: "bandwidth"
  std::string value{};       ///< placeholder of its value: "FILE"; empty for a switch
  std::string help;          ///< one sentence, wrapped on the help page
  std::string by_default{};  ///< behaviour without the flag; empty if help says so
  char letter = 0;           ///< short form: 'o' for -o
  /// Further words that the value may be, besides those in `value`, for shell completion.
  std::vector<std::string> words{};
  /// The value assumed if the flag is given without one; empty if a value is required. A value that
  /// does not begin with one of these words must then follow "=".
  std::string bare{};
  /// True if the field concerns this machine's terminal, files or devices; services do not have it.
  bool local = false;
  /// True if the value names a file, unless it is a word of the type. Services accept only the
  /// words.
  bool names_file = false;
  ValueType type{};
  unsigned runs = ~0U;  ///< kinds of runs that it applies to, as bits of its command
};

}  // namespace skde
