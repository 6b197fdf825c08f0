#pragma once

#include <nlohmann/json.hpp>

#include "service/jobs/execution_request.hpp"

namespace skde::service {

/// Describes an input of a process, given by its flag, as OGC does, with its schema.
nlohmann::ordered_json input_description(const FieldText& flag);
/// Describes a process with its inputs and outputs as OGC API - Processes does.
nlohmann::ordered_json process_description(const Process& process);
/// Describes a process in brief, for the list of processes.
nlohmann::ordered_json process_summary(const Process& process);
/// Returns the document of the whole API, made from the same tables.
const nlohmann::ordered_json& openapi_document();

// The part of the document that no table provides, in JSON. Operations use a shorthand: `open` (no
// token), `problems` (statuses besides those of any request), `parameters` and `headers` (names of
// components), and `flags` (a process whose flags form the query). Responses use `json` (name of a
// schema) or `types` (of bytes).
extern const char* const kApiPaths;
extern const char* const kApiComponents;

}  // namespace skde::service
