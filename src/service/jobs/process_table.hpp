#pragma once

#include <span>
#include <string_view>

#include "commands/served_commands.hpp"

namespace skde::service {

/// Output of every command, on request: the summary that skde prints, as a text.
constexpr std::string_view kReport = "report";

enum class ProcessKind { command, echo, points };

/// A row of the table of processes: how a request becomes a run of a command of skde.
struct Process : cli::ServedCommand {
  ProcessKind kind = ProcessKind::command;
  bool listed = true;  ///< false: only behind other routes
};

std::span<const Process> process_table();
/// Throws Problem (404).
const Process& process_named(std::string_view id);

}  // namespace skde::service
