#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace skde::cli {

struct CommandResult;

/// Writes text to standard output and flushes it. Throws Error(output) where that fails, as on a
/// full disk.
void print(std::string_view text);
/// The same of a JSON document. Names of files need not be UTF-8: what is not is replaced.
void print_json(const nlohmann::ordered_json& document);

/// Prints what a command did, as JSON or for people, or nothing.
void print_result(const CommandResult& result);

/// Opens /dev/null in the place of standard input, output or error where they are closed, in such
/// a way that using them still fails: the next file opened would take their number, and text for
/// the user would end in it. Call first.
void hold_standard_files();

}  // namespace skde::cli
