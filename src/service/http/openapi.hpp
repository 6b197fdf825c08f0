#pragma once

#include <nlohmann/json.hpp>

#include "service/jobs/process_table.hpp"

namespace skde::service {

/// Describes an input of a process, given by its flag, as OGC does, with its schema.
nlohmann::ordered_json input_description(const FieldText& flag);
/// Describes a process with its inputs and outputs as OGC API - Processes does.
nlohmann::ordered_json process_description(const Process& process);
/// Describes a process in brief, for the list of processes.
nlohmann::ordered_json process_summary(const Process& process);
/// Returns the document of the whole API, made from the same tables.
const nlohmann::ordered_json& openapi_document();

}  // namespace skde::service
