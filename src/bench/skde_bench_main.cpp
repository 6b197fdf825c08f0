#include <string>
#include <vector>

#include "bench/bench_program.hpp"
#include "cli/cancellation.hpp"

int main(int argc, char** argv) {
  skde::cli::install_signal_handlers();
  return skde::bench::run_bench(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}
