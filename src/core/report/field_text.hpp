#pragma once

#include <optional>
#include <string>
#include <vector>

namespace skde {

/// The values that a field accepts, for schemas, completions and checks of requests.
struct ValueType {
  enum class Kind { text, whole, real };
  Kind kind = Kind::text;
  std::optional<double> least{}, most{};  ///< of a number
  std::vector<std::string> words{};       ///< texts that it may be
  bool only_words = false;                ///< nothing else
};

/// How a field of a request is written, as a flag or a key, and explained.
struct FieldText {
  std::string name;          ///< as a flag without the dashes: "bandwidth"
  std::string value{};       ///< what its value looks like: "FILE"; empty for a switch
  std::string help;          ///< one sentence, wrapped on the help page
  std::string by_default{};  ///< what holds without the flag; empty where help says so
  char letter = 0;           ///< short form: 'o' for -o
  /// Words that the value may be besides those in `value`, for shells to complete.
  std::vector<std::string> words{};
  /// The value that is meant where none stands; one that begins otherwise than these words stands
  /// behind "=" then. Empty: a value has to stand there.
  std::string bare{};
  /// It is about this machine's terminal, files or devices, so services have no such input.
  bool local = false;
  /// The value names a file unless it is one of the type's words, which services alone take.
  bool names_file = false;
  ValueType type{};
};

}  // namespace skde
