#pragma once

#include "cli/command.hpp"

namespace skde::bench {

// The subcommands of skde-bench.
extern const cli::Command kCase, kPaper, kScale, kStages, kPoints, kFit, kIo, kReport, kCompare;

}  // namespace skde::bench
