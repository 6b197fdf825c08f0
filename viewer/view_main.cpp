#include <fmt/core.h>

#include <string>
#include <vector>

#include "cli/cancellation.hpp"
#include "cli/exit_code.hpp"
#include "cli/failed_start.hpp"
#include "cli/outputs.hpp"
#include "viewer/session/view_state_file.hpp"
#include "viewer/window/headless_run.hpp"
#include "viewer/window/window.hpp"

namespace {

void run(const std::vector<std::string>& arguments) {
  using namespace skde::view;
  const RecentState recent = load_recent_state();
  ViewOptions options = parse_view_options(arguments, recent.state);
  if (options.help_page) return fmt::print("{}", *options.help_page);
  if (options.version) return fmt::print("{}", skde::cli::version_line("skde-view"));
  if (options.headless()) return run_headless(options);
  if (options.complaint.empty()) options.complaint = recent.complaint;
  options.recent = recent.state;
  run_window(options);
}

}  // namespace

int main(int argc, char** argv) {
  skde::cli::hold_standard_files();
  skde::cli::install_signal_handlers();
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  return skde::cli::exit_code_of({"skde-view", "smaller --dims, fewer samples, or --precision f32"},
                                 [&] { run(arguments); });
}
