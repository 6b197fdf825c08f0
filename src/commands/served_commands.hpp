#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/options/option_table.hpp"

namespace skde::cli {

/// What an input of a command is, where a service runs it: a file that somebody has sent there. A
/// volume may be the result of a job as well.
enum class ResourceKind { cloud, volume };

struct ResourceInput {
  std::string name;
  ResourceKind kind = ResourceKind::cloud;
  bool required = true;
  bool several = false;  ///< one or more
  std::string flag{};    ///< of the command; empty: an argument without one
  std::string help;
  std::string format{};  ///< of the first file where this is named and no format is
};

/// A format that a file of a command may have.
struct ResultFormat {
  std::string name, extension, media_type;
};

struct FileOutput {
  std::string name, title;
  std::string flag{};    ///< that names it to the command; empty: it comes beside another
  std::string suffix{};  ///< behind the name of the file; of the first one, that of its format
  std::string media_type{};
  bool optional = false;  ///< true: it is made where it is asked for by name alone
};

/// A row of the table of commands that a service runs: how their files become inputs and outputs.
struct ServedCommand {
  std::string id, title;
  CommandResult (*run)(const Invocation& invocation) = nullptr;
  std::vector<ResourceInput> resources{};
  std::string argument{};          ///< input that is its argument where that is a word and no file
  std::vector<FieldText> flags{};  ///< that are inputs: all but those that name files
  std::vector<ResultFormat>
      formats{};  ///< of the first file; the first one unless another is named
  std::vector<FileOutput> files{};
  /// Where it predicts what its work takes (Invocation::forecast): the input that makes it less;
  /// empty where it does not.
  std::string lessened_by{};
  std::string value{"summary"};  ///< name of the output that is JSON; empty where there is none
};

std::span<const ServedCommand> served_commands();
/// Adds --server to the help page of a command, which a program may run on a service.
void add_server_flag(OptionTable& table);
/// Those flags of a command that are inputs.
std::vector<FieldText> input_flags(CommandResult (*run)(const Invocation&));
/// Formats whose extension is their name.
std::vector<ResultFormat> formats_named(std::initializer_list<std::string_view> names);

}  // namespace skde::cli
