#include "viewer/session/options/stream_options.hpp"

#include <algorithm>
#include <string>

namespace skde::view {
void add_stream_flags(cli::OptionTable& table, WindowSpec& window) {
  table.group("Streams");
  table.value({.name = "window",
               .value = "N",
               .help = "standard input, named as -, is an endless stream: shows the density of its "
                       "last N samples; needs --bounds and a --bandwidth of lengths"},
              window.window, WholeNumber(1));
  table.value({.name = "every",
               .value = "N",
               .help = "computes a density after every N samples of the stream",
               .by_default = "a tenth of --window"},
              window.every, WholeNumber(1));
}

void take_window(const cli::ParsedFlags& flags, const WindowSpec& window, ViewOptions& options) {
  const auto& paths = options.state.cloud.paths;
  const bool piped = std::ranges::find(paths, "-") != paths.end();
  if (flags.has("every") && !flags.has("window"))
    cli::usage_error("--every has no effect without --window N; drop it");
  if (flags.has("window") && (!piped || paths.size() > 1))
    cli::usage_error("--window needs standard input as the only input; name it as -");
  if (!flags.has("window")) return;  // standard input is read to its end, like a file
  options.window = window;
  if (window.every == 0) options.window->every = std::max<std::uint64_t>(1, window.window / 10);
  show_volume(options.state);
}

}  // namespace skde::view
