#pragma once

#include <nlohmann/json.hpp>

#include "estimate/request.hpp"
#include "io/json_object.hpp"

namespace skde {

// Requests as keys of a JSON object, which may have others beside them. What is put is what comes
// back. Reading leaves a field as it is where its key is missing; a value of another type or range
// is Error(input) that names the object's file and the key.

void put(nlohmann::ordered_json& json, const CloudFiles& cloud);
void read(io::JsonObject& object, CloudFiles& cloud);

void put(nlohmann::ordered_json& json, const DensityRequest& request);
void read(io::JsonObject& object, DensityRequest& request);

}  // namespace skde
