#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/field_text.hpp"

namespace skde::cli {

/// Returns the form of a flag's value, in brackets if it is optional.
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

/// The description of a command, from its table of flags.
struct TableDescription {
  std::string command;                      ///< as the user types it: "skde density"
  std::string arguments;                    ///< what follows the command: "IN... -o OUT [FLAGS]"
  std::string summary;                      ///< in sentences
  std::vector<std::string> argument_words;  ///< possible arguments that are not files
  std::vector<FlagGroup> groups;
  std::vector<Example> examples;
};

/// A command of a program with several.
struct CommandDescription {
  std::string name, summary;  ///< "density", half a sentence
  TableDescription table;
};

/// A program: either with several commands, or with a table of its own.
struct ProgramDescription {
  std::string name, summary;  ///< "skde", half a sentence
  std::vector<CommandDescription> commands;
  std::optional<TableDescription> table;
  std::vector<Example> examples;
};

/// The hidden flag that asks a program for its documents. It is always the first argument.
inline constexpr std::string_view kDescribeFlag = "--describe";

}  // namespace skde::cli
