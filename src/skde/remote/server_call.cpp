#include "skde/remote/server_call.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "cli/command_program.hpp"
#include "cli/documents/command_description.hpp"
#include "cli/output_path.hpp"
#include "core/report/error.hpp"

namespace skde::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kServer = "--server";

const ServedCommand& served(const std::string& name) {
  std::string all;
  for (const ServedCommand& command : served_commands()) {
    if (command.id == name) return command;
    all += (all.empty() ? "" : ", ") + command.id;
  }
  throw Error(ErrorKind::unsupported, fmt::format("services cannot run '{}', only {}", name, all),
              {"server", "run it here, without `server`"});
}

const FieldText* flag_named(const TableDescription& table, std::string_view name) {
  for (const FlagGroup& group : table.groups)
    for (const FieldText& flag : group.flags)
      if (flag.name == name || (name.size() == 1 && flag.letter == name[0])) return &flag;
  return nullptr;
}

/// Returns true if the flag names a file of the command: one to send, or one to fetch.
bool keep_file(ServerCall& call, const FieldText& flag, const std::string& value) {
  for (const ResourceInput& input : call.command->resources)
    if (!input.flag.empty() && input.flag == flag.name) {
      call.files.push_back({&input, value});
      return true;
    }
  std::string endings;
  for (const FileOutput& file : call.command->files) {
    if (!file.optional || file.flag != flag.name || file.suffix.empty()) continue;
    if (value.ends_with(file.suffix)) {
      require_writable(value, "--" + flag.name);
      call.wanted[file.name] = value;
      return true;
    }
    endings += (endings.empty() ? "" : " or ") + file.suffix;
  }
  if (!endings.empty())
    throw Error(ErrorKind::usage,
                fmt::format("--{0}: must end in {2}; got '{1}'", flag.name, value, endings));
  return false;
}

/// Keeps flags that concern only the command line; the others become inputs.
void keep(ServerCall& call, const FieldText& flag, const std::string& value) {
  if (flag.name == "output") {
    call.output = value;
  } else if (flag.name == "json") {
    call.json = true;
  } else if (flag.name == "quiet") {
    call.quiet = true;
    call.tells = flag.help.find("summary") == std::string::npos;  // else hides only the bar
  } else if (!keep_file(call, flag, value)) {
    call.inputs[flag.name] = flag.value.empty() ? Json(true) : Json(value);
  }
}

/// Returns the arguments without --server, whose value goes to the call.
std::vector<std::string> without_server(ServerCall& call,
                                        const std::vector<std::string>& arguments) {
  std::vector<std::string> rest;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].starts_with(std::string(kServer) + '='))
      call.url = arguments[i].substr(kServer.size() + 1);
    else if (arguments[i] == kServer && i + 1 < arguments.size())
      call.url = arguments[++i];
    else
      rest.push_back(arguments[i]);
  }
  if (rest.empty()) throw Error(ErrorKind::usage, "no command is given; name one");
  return rest;
}

void take_flags(ServerCall& call, const std::vector<std::string>& rest) {
  const TableDescription table = table_of(call.command->run);
  for (std::size_t i = 1; i < rest.size(); ++i) {
    const std::string& argument = rest[i];
    if (argument.size() < 2 || argument[0] != '-') {
      call.arguments.push_back(argument);
      continue;
    }
    const std::size_t dashes = argument[1] == '-' ? 2 : 1;
    const std::size_t equals = std::min(argument.find('='), argument.size());
    const FieldText* const flag = flag_named(table, argument.substr(dashes, equals - dashes));
    if (!flag)
      throw Error(ErrorKind::usage, fmt::format("unknown flag '{}'; see 'skde --help'", argument));
    const bool valued = !flag->value.empty() && equals == argument.size();
    if (valued && i + 1 == rest.size())
      throw Error(ErrorKind::usage, fmt::format("--{} needs a value; give one", flag->name));
    keep(call, *flag, valued ? rest[++i] : argument.substr(std::min(equals + 1, argument.size())));
  }
}

/// Each argument is the file of one input; the last input may take several.
void take_arguments(ServerCall& call) {
  std::size_t next = 0;
  if (const std::string& word = call.command->argument; !word.empty()) {
    if (call.arguments.empty())
      throw Error(ErrorKind::usage,
                  fmt::format("{}: no {} is given; name one", call.command->id, word));
    call.inputs[word] = call.arguments[next++];
  }
  for (const ResourceInput& input : call.command->resources) {
    if (!input.flag.empty()) continue;
    const std::size_t end = input.several ? call.arguments.size() : next + 1;
    if (next == call.arguments.size() || end > call.arguments.size())
      throw Error(ErrorKind::usage, fmt::format("{}: no file is given for {}; name one",
                                                call.command->id, input.name));
    for (; next < end; ++next) call.files.push_back({&input, call.arguments[next]});
  }
  if (next < call.arguments.size())
    throw Error(ErrorKind::usage, fmt::format("{}: the file '{}' is one too many; drop it",
                                              call.command->id, call.arguments[next]));
  for (const SentFile& file : call.files)
    if (file.path == "-")
      throw Error(ErrorKind::unsupported,
                  "services accept files, not pipes; save the input to a file");
}

/// Chooses the format by the extension of the output file.
void choose_format(ServerCall& call) {
  const ServedCommand& command = *call.command;
  if (command.formats.empty()) {
    if (!call.output.empty()) require_writable(call.output, "-o");
    return;
  }
  const FileOutput& first = command.files.front();
  if (call.output.empty()) {
    if (first.optional) return;
    throw Error(ErrorKind::usage, "no output is given; name a file with -o");
  }
  require_writable(call.output, "-o");
  call.wanted[first.name] = call.output;
  if (!call.inputs.contains("format")) {
    const ResultFormat* chosen = nullptr;
    std::string all;
    for (const ResultFormat& format : command.formats) {
      const bool fits = call.output.ends_with(format.extension);
      if (fits && (!chosen || chosen->extension.size() < format.extension.size())) chosen = &format;
      all += (all.empty() ? "" : ", ") + format.extension;
    }
    if (!chosen)
      throw Error(ErrorKind::usage, fmt::format("{}: must end in one of {}", call.output, all),
                  {"output", "use one of these extensions"});
    call.inputs["format"] = chosen->name;
  }
  for (const FileOutput& file : command.files)
    if (file.name == "description" && call.inputs["format"] == "npy")
      call.wanted[file.name] = call.output + ".json";
}

}  // namespace

bool names_server(const std::vector<std::string>& arguments) {
  return std::ranges::any_of(arguments, [](const std::string& argument) {
    return argument == kServer || argument.starts_with(std::string(kServer) + '=');
  });
}

ServerCall server_call(const std::vector<std::string>& arguments) {
  ServerCall call;
  const std::vector<std::string> rest = without_server(call, arguments);
  call.command = &served(rest.front());
  take_flags(call, rest);
  take_arguments(call);
  choose_format(call);
  return call;
}

}  // namespace skde::cli
