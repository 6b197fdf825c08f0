#pragma once

#include "cli/options/option_table.hpp"
#include "engines/engine.hpp"

namespace skde::cli {

/// Adds --device: the GPU that CUDA engines work on, or several that share the work.
void add_device_flag(OptionTable& table, EngineOptions& options);

}  // namespace skde::cli
