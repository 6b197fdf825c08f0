#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/documents/command_description.hpp"

namespace skde::cli {

/// Returns the document that the hidden flag asks for: `man` (the page of the program), `man
/// COMMAND`, `bash` or `zsh` (its completions), or `commands` (their names, one per line). Throws
/// Error(usage) for anything else.
std::string document(const ProgramDescription& program, std::span<const std::string> what);

/// Returns the document of a program that has one table and no commands, or nothing if the
/// arguments do not begin with the hidden flag.
std::optional<std::string> wanted_document(const TableDescription& table,
                                           std::span<const std::string> arguments);

/// Returns a bash script that completes the program's commands, flags, words and files.
std::string bash_completion(const ProgramDescription& program);

/// Returns the manual page of a program, in the macros of man(7).
std::string man_page(const ProgramDescription& program);

/// Returns the page of one of its commands: skde-density(1).
std::string man_page(const ProgramDescription& program, const CommandDescription& command);

/// Returns a zsh function that completes the program's commands, flags, words and files, and shows
/// their meanings.
std::string zsh_completion(const ProgramDescription& program);

/// What a shell can offer for a value or an argument.
struct ValueChoice {
  std::vector<std::string> words;
  bool files = false;
  bool folders = false;  ///< only folders
  std::string suffix{};  ///< suffix of the files, as ".png"; empty: any

  bool is_open() const { return words.empty() && !files && !folders; }
};

/// Derives the choice from the form of the value, "data|diag|robust|iso|FILE", and from the flag's
/// words.
ValueChoice choice_of(const FieldText& flag);

/// Derives the choice for arguments that are not flags.
ValueChoice choice_of_arguments(const TableDescription& table);

}  // namespace skde::cli
