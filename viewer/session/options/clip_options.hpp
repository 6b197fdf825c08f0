#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cli/options/option_table.hpp"
#include "io/json_object.hpp"
#include "viewer/volume/clip.hpp"

namespace skde::view {

/// Adds --clip-box and --clip-plane.
void add_clip_flags(cli::OptionTable& table, Clip& clip);

/// Returns a clip as it stands in a view's file.
nlohmann::ordered_json clip_json(const Clip& clip);
/// Returns the clip of a view's file. Throws Error(input) for unknown keys and wrong values.
Clip clip_from(io::JsonObject object);

}  // namespace skde::view
