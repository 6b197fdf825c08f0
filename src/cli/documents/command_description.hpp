#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/report/field_text.hpp"

namespace skde::cli {

/// What its value looks like, in brackets where it may be left out.
inline std::string value_form(const FieldText& flag) {
  return flag.bare.empty() ? flag.value : "[" + flag.value + "]";
}

/// Flags under one title.
struct FlagGroup {
  std::string title;
  std::vector<FieldText> flags;
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
