#pragma once

#include <string>
#include <vector>

namespace skde::cli {

struct CommandResult;

/// Runs a command on a service: sends its input files and fetches what it writes. Throws what the
/// command throws, and Error(unsupported) if services have no such command.
CommandResult run_on_server(const std::vector<std::string>& arguments);

}  // namespace skde::cli
