
#include "bench/bench_commands.hpp"
#include "cli/cancellation.hpp"
#include "cli/command_program.hpp"
#include "cli/failed_start.hpp"
#include "cli/results/command_result.hpp"
#include "cli/standard_output.hpp"

namespace {

using namespace skde::bench;

/// A command that prints as it goes, and whose only results are its files.
template <void (*run)(const skde::cli::Invocation&)>
skde::cli::CommandResult printing(const skde::cli::Invocation& invocation) {
  run(invocation);
  return {.form = {.quiet = true}};
}

constexpr skde::cli::Command kCommands[] = {
    {"case", "measures every engine on one case", printing<run_case_experiment>},
    {"paper", "runs the published experiment of the S-KDE papers", printing<run_paper>},
    {"scale", "measures current problem sizes: samples, cells, bandwidths, clouds, weights",
     printing<run_scale>},
    {"stages", "compares the stages of each engine with the machine's ceilings",
     printing<run_stages>},
    {"points", "measures densities at points", printing<run_points>},
    {"fit", "measures how well K ellipsoids stand for a density", printing<run_fit>},
    {"io", "measures readers and writers in MB/s", printing<run_io>},
    {"report", "makes one HTML page of results, with plots and tables", printing<run_report>},
    {"compare", "compares the results of two runs", printing<run_compare>},
};

constexpr skde::cli::CommandProgram kProgram{
    "skde-bench", "measures the engines, readers and writers of skde", kCommands,
    "  skde-bench paper -o paper/\n      the paper's grid of samples and cells with every engine\n "
    " skde-bench case --samples 1e6 --cells 256 --engines span,openmp\n      one case, with the "
    "stages of each engine\n  skde-bench report paper/results.json -o paper/ --plots\n      the "
    "page paper/report.html, and its plots as SVG and PNG\n",
    "smaller --cells or fewer --samples"};

}  // namespace

int main(int argc, char** argv) {
  skde::cli::hold_standard_files();
  skde::cli::install_signal_handlers();
  return skde::cli::run_commands(kProgram,
                                 std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}
