#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/jobs/process_table.hpp"

namespace skde::service {

enum class ResponseForm { raw, document };

/// An output that is wanted.
struct WantedOutput {
  std::string name;
  std::optional<bool> by_reference{};  ///< empty: as the form of the response has it
};

/// What a client asks a process for, checked against its table: values are texts of flags by now.
// NOLINTNEXTLINE(bugprone-exception-escape): moved JSON throws nothing
struct ExecutionRequest {
  const Process* process = nullptr;
  std::map<std::string, std::string, std::less<>> resources;  ///< IDs by the name of the input
  std::map<std::string, std::string, std::less<>> flags;      ///< "" of a switch
  std::string inputs;  ///< JSON, as it was sent: parsed it takes some twenty times the memory
  std::string format;  ///< of the first file; empty where there is none
  std::vector<WantedOutput> outputs;
  ResponseForm response = ResponseForm::raw;
  std::size_t bytes = 0;  ///< of its text

  bool wants(std::string_view output) const;
};

/// JSON of a client. Throws Problem (400) where it is none, or nests too deeply.
nlohmann::ordered_json parse_json(std::string_view text);
/// Throws Problem (400) that names the input, with the nearest name where it is unknown.
ExecutionRequest read_execution(const Process& process, const nlohmann::ordered_json& json);
/// The same of flags that stand in a query, which all are inputs.
ExecutionRequest read_query(const Process& process, std::string_view cloud,
                            const std::map<std::string, std::string, std::less<>>& query);
/// The text of JSON that read_execution reads back, on one line.
std::string execution_text(const ExecutionRequest& request);

}  // namespace skde::service
