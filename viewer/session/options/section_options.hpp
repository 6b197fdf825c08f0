#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cli/options/option_table.hpp"
#include "io/json_object.hpp"
#include "viewer/session/view_options.hpp"

namespace skde::view {

/// Adds --slices, --slice-planes, --slice-samples and --slice-smooth.
void add_section_flags(cli::OptionTable& table, ViewOptions& options);
/// Shows slices that a flag names in the volume, unless other flags say how. Throws Error(usage)
/// if a picture would show none of what flags ask for.
void take_sections(const cli::ParsedFlags& flags, ViewOptions& options);

/// Returns the sections as they stand in a view's file.
nlohmann::ordered_json sections_json(const Sections& sections);
/// Returns the sections of a view's file. Throws Error(input) for unknown keys and wrong values.
Sections sections_from(io::JsonObject object);

}  // namespace skde::view
