#include <string>
#include <vector>

#include "cli/cancellation.hpp"
#include "cli/failed_start.hpp"
#include "cli/outputs.hpp"
#include "skde/program.hpp"

int main(int argc, char** argv) {
  skde::cli::hold_standard_files();
  skde::cli::install_signal_handlers();
  return skde::cli::run_program(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}
