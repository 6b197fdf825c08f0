#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands/served_commands.hpp"

namespace skde::cli {

/// A file to send, and its input.
struct SentFile {
  const ResourceInput* input = nullptr;
  std::string path;
};

/// A command line, parsed by the command's own table and by the table of served commands.
struct ServerCall {
  std::string url, output;
  const ServedCommand* command = nullptr;
  bool json = false, quiet = false;
  bool tells = true;                   ///< prints a summary; most commands omit it with --quiet
  std::vector<std::string> arguments;  ///< arguments that are not flags
  std::vector<SentFile> files;
  std::map<std::string, std::string> wanted;  ///< paths of files by the names of outputs
  nlohmann::ordered_json inputs = nlohmann::ordered_json::object();
};

/// Returns true if a command line names a service to run it: --server URL.
bool names_server(const std::vector<std::string>& arguments);
/// Throws Error(usage) if the command itself would, and Error(unsupported) if services do not run
/// it.
ServerCall server_call(const std::vector<std::string>& arguments);

}  // namespace skde::cli
