#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace skde::cli {

struct CommandResult;

/// Writes text to standard output and flushes it. Throws Error(output) if that fails, as on a full
/// disk.
void print(std::string_view text);
/// Prints a JSON document in the same way. File names need not be UTF-8: invalid bytes are
/// replaced.
void print_json(const nlohmann::ordered_json& document);

/// Prints what a command did, as JSON or for people, or nothing.
void print_result(const CommandResult& result);

/// Opens /dev/null in place of closed standard input, output or error, in such a way that using
/// them still fails. Otherwise the next file opened would get their number, and receive text for
/// the user. Call this first.
void hold_standard_files();

}  // namespace skde::cli
