#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "io/text/json_object.hpp"
#include "viewer/layers/volume/transfer_function.hpp"

namespace skde::view {

/// {"colors": "viridis", "opacity_scale": 1, "axis": {"low", "high", "logarithmic"},
///  "points": [[position, opacity], ...]}
nlohmann::ordered_json transfer_function_json(const TransferFunction& function);
/// Requires every key and no other. Throws Error(input) as io::JsonObject does.
TransferFunction transfer_function_from(io::JsonObject object);

/// Throws Error(input) that names the file and the key.
TransferFunction load_transfer_function(const std::string& path);
/// Writes the file completely or not at all. Throws Error(output) if it cannot be written.
void save_transfer_function(const std::string& path, const TransferFunction& function);

}  // namespace skde::view
