#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skde::cli {

/// How a flag is written and explained.
struct FlagText {
  std::string name;          ///< without the dashes: "bandwidth"
  std::string value{};       ///< what its value looks like: "FILE"; empty for a switch
  std::string help;          ///< one sentence, wrapped on the help page
  std::string by_default{};  ///< what holds without the flag; empty where help says so
  char letter = 0;           ///< short form: 'o' for -o
  /// Words that the value may be besides those in `value`, for shells to complete.
  std::vector<std::string> words{};
  /// The value that is meant where none stands; one that begins otherwise than these words stands
  /// behind "=" then. Empty: a value has to stand there.
  std::string bare{};
};

/// What its value looks like, in brackets where it may be left out.
inline std::string value_form(const FlagText& flag) {
  return flag.bare.empty() ? flag.value : "[" + flag.value + "]";
}

/// Flags under one title.
struct FlagGroup {
  std::string title;
  std::vector<FlagText> flags;
};

/// A command line, and what it does.
struct Example {
  std::string line, meaning;
};

/// What a table of flags says of its command.
struct TableDescription {
  std::string command;                      ///< as the user types it: "skde density"
  std::string arguments;                    ///< what follows: "IN... -o OUT [FLAGS]"
  std::string summary;                      ///< sentences
  std::vector<std::string> argument_words;  ///< what arguments may be where they are no files
  std::vector<FlagGroup> groups;
  std::vector<Example> examples;
};

/// A command of a program of several.
struct CommandDescription {
  std::string name, summary;  ///< "density", half a sentence
  TableDescription table;
};

/// A program: either of several commands, or with a table of its own.
struct ProgramDescription {
  std::string name, summary;  ///< "skde", half a sentence
  std::vector<CommandDescription> commands;
  std::optional<TableDescription> table;
  std::vector<Example> examples;
};

/// The hidden flag that asks a program for its documents, always the first argument.
inline constexpr std::string_view kDescribeFlag = "--describe";

/// What a table throws where the hidden flag stands in the command line: a description on its way
/// past the command, which need not know of it.
struct DescriptionWanted {
  TableDescription table;
  std::vector<std::string> what;  ///< the arguments behind the flag
};

}  // namespace skde::cli
