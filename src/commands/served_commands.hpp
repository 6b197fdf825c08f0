#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "core/report/field_text.hpp"

namespace skde::cli {

/// The kind of an input of a command on a service: an uploaded file. A volume may also be the
/// result of a job.
enum class ResourceKind { cloud, volume };

struct ResourceInput {
  std::string name;
  ResourceKind kind = ResourceKind::cloud;
  bool required = true;
  bool several = false;  ///< one or more
  std::string flag{};    ///< flag of the command; empty: an argument without one
  std::string help;
  std::string format{};  ///< default format of the first output if this input is given
};

/// A format that an output file may have.
struct ResultFormat {
  std::string name, extension, media_type;
};

struct FileOutput {
  std::string name, title;
  std::string flag{};    ///< flag that names the file; empty: written beside another
  std::string suffix{};  ///< appended to the file's name; the first file has that of its format
  std::string media_type{};
  bool optional = false;  ///< true: written only on request, by name
};

/// A row of the table of commands that a service runs: how their files become inputs and outputs.
struct ServedCommand {
  std::string id{}, title{};
  Command command{};  ///< what does it; none for processes of the service's own
  std::vector<ResourceInput> resources{};
  std::string argument{};               ///< input given as a word, not a file
  std::vector<FieldText> flags{};       ///< flags that are inputs: all that do not name files
  std::vector<ResultFormat> formats{};  ///< of the first file; the first format is the default
  std::vector<FileOutput> files{};
  /// For commands that predict their cost (Invocation::forecast): the input that reduces it; else
  /// empty.
  std::string costly_input{};
  std::string value{"summary"};  ///< name of the output that is JSON; empty if none
  /// Bytes of the inputs in a second, as measured on one core, for commands that do not predict.
  double rate = 2e7;
};

std::span<const ServedCommand> served_commands();
/// Returns the flags of a command that are inputs.
std::vector<FieldText> input_flags(const Command& command);
/// Returns formats whose extension equals their name.
std::vector<ResultFormat> formats_named(std::initializer_list<std::string_view> names);

}  // namespace skde::cli
