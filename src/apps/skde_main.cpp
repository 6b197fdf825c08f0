#include <string>
#include <vector>

#include "apps/cancellation.hpp"
#include "apps/command.hpp"

int main(int argc, char** argv) {
  skde::apps::install_signal_handlers();
  return skde::apps::run_program(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}
