#pragma once

namespace skde::service {

// What the OpenAPI document says of routes that no table describes, in JSON. Of an operation stand
// there in short: `open` (no token), `problems` (statuses besides those that any request may have),
// `parameters` and `headers` (names of components), `flags` (a process whose flags are its query),
// and of a response `json` (name of a schema) or `types` (of bytes).
extern const char* const kApiPaths;
extern const char* const kApiComponents;

}  // namespace skde::service
