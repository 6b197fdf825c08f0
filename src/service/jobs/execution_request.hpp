#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

enum class ResponseForm { raw, document };

/// Larger files are sent by reference or on their own, as most clients hold a whole text in memory.
constexpr std::uint64_t kMostEmbedded = std::uint64_t{64} << 20;

/// An output that a client asks for.
struct WantedOutput {
  std::string name;
  std::optional<bool> by_reference{};  ///< empty: depends on the form of the response
};

/// A request of a client for a process, checked against its table; values are texts of flags.
// NOLINTNEXTLINE(bugprone-exception-escape): moved JSON throws nothing
struct ExecutionRequest {
  const Process* process = nullptr;
  std::map<std::string, std::string, std::less<>> resources;  ///< IDs by the name of the input
  std::map<std::string, std::string, std::less<>> flags;      ///< "" for a switch
  std::string inputs;  ///< JSON as sent: parsed, it would take about twenty times the memory
  std::string format;  ///< of the first file; empty if there is none
  std::vector<WantedOutput> outputs;
  ResponseForm response = ResponseForm::raw;
  std::size_t bytes = 0;  ///< size of its text
  bool unkept = false;    ///< the result is for the waiting client alone
  bool packs = false;     ///< who accepts zstd

  bool wants(std::string_view output) const;
};

/// Parses JSON of a client. Throws Problem (400) if it is invalid or nested too deeply.
nlohmann::ordered_json parse_json(std::string_view text);
/// Throws Problem (400) that names the input, and the nearest known name if it is unknown.
ExecutionRequest read_execution(const Process& process, const nlohmann::ordered_json& json);
/// Reads only what determines the form of the answer: outputs and response.
ExecutionRequest read_answer_form(const Process& process, const nlohmann::ordered_json& json);
/// Reads a request from flags in a query, all of which are inputs.
ExecutionRequest read_query(const Process& process, std::string_view cloud,
                            const std::map<std::string, std::string, std::less<>>& query);
/// Returns the request as one line of JSON that read_execution can read; read_answer_form if its
/// inputs are forgotten.
std::string execution_text(const ExecutionRequest& request);

}  // namespace skde::service
