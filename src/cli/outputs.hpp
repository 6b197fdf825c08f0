#pragma once

#include <nlohmann/json.hpp>

#include <span>
#include <string>
#include <string_view>

namespace skde::cli {

/// Checks, before any work, that a file can be put at `path`, which `flag` named: its folder exists
/// and is writable, and `path` is free or an ordinary file. Throws Error(output) otherwise.
void require_writable(const std::string& path, std::string_view flag);

/// Throws Error(usage) if `path` is one of the input files, even under another name: a link to it,
/// or a second name of its inode.
void require_not_read(const std::string& path, std::string_view flag,
                      std::span<const std::string> inputs);

/// Throws Error(usage) if `path` is one of the other output files.
void require_other_file(const std::string& path, std::string_view flag,
                        std::span<const std::string> others);

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
