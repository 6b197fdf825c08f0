#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "cli/options/option_table.hpp"
#include "core/cloud/outlined_places.hpp"
#include "io/json_object.hpp"
#include "viewer/session/view_options.hpp"

namespace skde::view {

/// Adds --select and --select-only.
void add_selection_flags(cli::OptionTable& table, ViewOptions& options);
/// Refuses these flags where they have no effect. Throws Error(usage).
void check_selection_flags(const cli::ParsedFlags& flags, const ViewOptions& options);

/// Returns outlines as they stand in a view's file.
nlohmann::ordered_json outlines_json(const std::vector<OutlinedPlaces>& outlines);
/// Reads the outlines of a view's file. Throws Error(input) for unknown keys and wrong values.
std::vector<OutlinedPlaces> outlines_from(io::JsonObject& object, std::string_view key);

}  // namespace skde::view
