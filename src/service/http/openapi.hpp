#pragma once

#include <nlohmann/json.hpp>

#include "service/jobs/process_table.hpp"

namespace skde::service {

/// An input of a process by the row of the flag that it is: OGC's description of it, with its
/// schema.
nlohmann::ordered_json input_description(const FieldText& flag);
/// A process with its inputs and outputs, as OGC API - Processes describes it.
nlohmann::ordered_json process_description(const Process& process);
/// The same in few words, for the list of all.
nlohmann::ordered_json process_summary(const Process& process);
/// The whole API, of the same tables.
const nlohmann::ordered_json& openapi_document();

}  // namespace skde::service
