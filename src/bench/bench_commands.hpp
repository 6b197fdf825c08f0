#pragma once

#include "cli/command.hpp"

namespace skde::bench {

// The subcommands of skde-bench.
extern const cli::Command kCaseCommand, kPaperCommand, kScaleCommand, kStagesCommand,
    kPointsCommand, kFitCommand, kIoCommand, kReportCommand, kCompareCommand;

}  // namespace skde::bench
