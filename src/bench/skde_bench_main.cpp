#include <string>
#include <vector>

#include "apps/cancellation.hpp"
#include "bench/bench_program.hpp"

int main(int argc, char** argv) {
  skde::apps::install_signal_handlers();
  return skde::bench::run_bench(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}
