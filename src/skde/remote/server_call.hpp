#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands/served_commands.hpp"

namespace skde::cli {

/// A file that is sent, and the input that it is.
struct SentFile {
  const ResourceInput* input = nullptr;
  std::string path;
};

/// A command line, taken apart by the command's own table and by what services make of it.
struct ServerCall {
  std::string url, output;
  const ServedCommand* command = nullptr;
  bool json = false, quiet = false;
  bool tells = true;  ///< prints a summary, which --quiet leaves out of most commands
  std::vector<std::string> arguments;  ///< that are no flags
  std::vector<SentFile> files;
  std::map<std::string, std::string> wanted;  ///< paths of files by the names of outputs
  nlohmann::ordered_json inputs = nlohmann::ordered_json::object();
};

/// True where a command line names a service that is to run it: --server URL.
bool names_server(const std::vector<std::string>& arguments);
/// Throws Error(usage) where the command itself would, and Error(unsupported) where services do
/// not run it.
ServerCall server_call(const std::vector<std::string>& arguments);

}  // namespace skde::cli
