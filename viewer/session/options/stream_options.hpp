#pragma once

#include "cli/options/option_table.hpp"
#include "estimate/stream/followed_stream.hpp"
#include "viewer/session/view_options.hpp"

namespace skde::view {

/// Adds --window and --every.
void add_stream_flags(cli::OptionTable& table, WindowSpec& window);
/// Takes the flags of a stream on standard input. Throws Error(usage) if they contradict each
/// other, or if --window is given and standard input is not the only input.
void take_window(const cli::ParsedFlags& flags, const WindowSpec& window, ViewOptions& options);

}  // namespace skde::view
