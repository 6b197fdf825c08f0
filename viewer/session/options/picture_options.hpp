#pragma once

#include "cli/options/option_table.hpp"
#include "viewer/session/view_options.hpp"

namespace skde::view {

/// Adds the flags of pictures: which to write, their size, and what to compare them with.
void add_picture_flags(cli::OptionTable& table, ViewOptions& options);
/// Refuses those that contradict each other or have no effect, and paths that cannot be written.
void check_pictures(const cli::ParsedFlags& flags, const ViewOptions& options);

}  // namespace skde::view
