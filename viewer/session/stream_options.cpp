#include "viewer/session/stream_options.hpp"

#include <algorithm>
#include <string>

namespace skde::view {
void add_stream_flags(cli::OptionTable& table, WindowSpec& window) {
  table.group("Streams");
  table.value(
      {.name = "window",
       .value = "N",
       .help = "standard input, named as -, is a stream without an end: the density of its last N "
               "samples, live; with --bounds and a --bandwidth of lengths"},
      window.window, WholeNumber(1));
  table.value({.name = "every",
               .value = "N",
               .help = "a density after so many samples of it",
               .by_default = "a tenth of --window"},
              window.every, WholeNumber(1));
}

void take_window(const cli::ParsedFlags& flags, const WindowSpec& window, ViewOptions& options) {
  const auto& paths = options.state.cloud.paths;
  const bool piped = std::ranges::find(paths, "-") != paths.end();
  if (flags.has("every") && !flags.has("window"))
    cli::usage_error("--every has no effect without --window N; drop it");
  if (flags.has("window") && (!piped || paths.size() > 1))
    cli::usage_error("--window follows standard input alone: name it as -");
  if (!flags.has("window")) return;  // standard input is read to its end, like a file
  options.window = window;
  if (window.every == 0) options.window->every = std::max<std::uint64_t>(1, window.window / 10);
  options.state.layout = ViewLayout::volume;
}

}  // namespace skde::view
