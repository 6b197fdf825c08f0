#pragma once

#include <string>
#include <vector>

#include "cli/options/option_table.hpp"

namespace skde::cli {

struct CommandResult;

/// Adds --server to the help page of a command, which run_on_server runs where it is given.
void add_server_flag(OptionTable& table);

/// Runs a command on a service: its files go there, what it writes comes back. Throws what the
/// command throws, and Error(unsupported) where services have no such command.
CommandResult run_on_server(const std::vector<std::string>& arguments);

}  // namespace skde::cli
