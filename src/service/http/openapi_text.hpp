#pragma once

namespace skde::service {

// The part of the OpenAPI document that no table provides, in JSON. Operations use a shorthand:
// `open` (no token), `problems` (statuses besides those of any request), `parameters` and `headers`
// (names of components), and `flags` (a process whose flags form the query). Responses use `json`
// (name of a schema) or `types` (of bytes).
extern const char* const kApiPaths;
extern const char* const kApiComponents;

}  // namespace skde::service
