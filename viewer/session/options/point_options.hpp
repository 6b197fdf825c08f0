#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cli/options/option_table.hpp"
#include "io/json_object.hpp"
#include "viewer/session/view_state.hpp"

namespace skde::view {

/// Adds --points and what tells how samples look.
void add_point_flags(cli::OptionTable& table, ViewState& state);
/// Shows samples if a flag tells how they look.
void take_points(const cli::ParsedFlags& flags, ViewState& state);
/// The flags that have no effect without samples.
inline constexpr std::array kPointFlags{"points", "points-color", "points-size", "points-size-by",
                                        "points-where"};

/// Returns a look as it stands in a view's file.
nlohmann::ordered_json point_look_json(const PointLook& look);
/// Returns the look of a view's file. Throws Error(input) for unknown keys and wrong values.
PointLook point_look_from(io::JsonObject object);

}  // namespace skde::view
