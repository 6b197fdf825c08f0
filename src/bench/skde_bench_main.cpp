
#include "bench/bench_commands.hpp"
#include "cli/cancellation.hpp"
#include "cli/command_program.hpp"
#include "cli/failed_start.hpp"
#include "cli/outputs.hpp"

namespace {

using namespace skde::bench;

const skde::cli::Command kCommands[] = {kCaseCommand,   kPaperCommand,  kScaleCommand,
                                        kStagesCommand, kPointsCommand, kFitCommand,
                                        kIoCommand,     kReportCommand, kCompareCommand};

const skde::cli::CommandProgram kProgram{
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
