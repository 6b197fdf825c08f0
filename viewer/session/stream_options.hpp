#pragma once

#include "cli/options/option_table.hpp"
#include "estimate/stream/followed_stream.hpp"
#include "viewer/session/view_options.hpp"

namespace skde::view {

/// Adds --window and --every.
void add_stream_flags(cli::OptionTable& table, WindowSpec& window);
/// What flags say of a stream on standard input. Error(usage) where they contradict each other, or
/// where standard input is named and no window.
void take_window(const cli::ParsedFlags& flags, const WindowSpec& window, ViewOptions& options);

}  // namespace skde::view
