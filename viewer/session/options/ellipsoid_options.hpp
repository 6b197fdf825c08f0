#pragma once

#include "cli/options/option_table.hpp"
#include "viewer/session/view_options.hpp"

namespace skde::view {

/// Adds --ellipsoids, --pick and --probe.
void add_ellipsoid_flags(cli::OptionTable& table, ViewOptions& options);
/// Refuses these flags where a picture does not show what they ask for. Throws Error(usage).
void check_ellipsoid_flags(const cli::ParsedFlags& flags, const ViewOptions& options);

}  // namespace skde::view
