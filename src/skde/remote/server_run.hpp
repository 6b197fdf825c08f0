#pragma once

#include <string>
#include <vector>

namespace skde::cli {

struct CommandResult;

/// Runs a command on a service: its files go there, what it writes comes back. Throws what the
/// command throws, and Error(unsupported) where services have no such command.
CommandResult run_on_server(const std::vector<std::string>& arguments);

}  // namespace skde::cli
