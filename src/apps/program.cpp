#include <fmt/format.h>

#include <array>

#include "apps/command.hpp"
#include "apps/exit_code.hpp"
#include "apps/standard_output.hpp"
#include "core/error.hpp"
#include "core/nearest_name.hpp"

namespace skde::apps {
namespace {

constexpr std::array<Command, 5> kCommands{{
    {"density", "a cloud of samples in, a density volume or a picture out", run_density},
    {"info", "what a cloud or a volume file holds", run_info},
    {"generate", "a seeded synthetic cloud, for trying things out", run_generate},
    {"formats", "the files that skde reads and writes", run_formats},
    {"engines", "the ways to compute a density, and which of them run here", run_engines},
}};

std::string help_page() {
  std::string page =
      "skde: exact 3-D kernel density estimation, from point clouds to volumes\n\n"
      "Usage: skde COMMAND [ARGUMENTS]\n\nCommands\n";
  for (const Command& command : kCommands)
    page += fmt::format("  {:<10} {}\n", command.name, command.summary);
  return page +
         "\n  skde COMMAND --help   the flags of a command, with examples\n"
         "  skde --version        version, compiler, CUDA\n"
         "\nExamples\n"
         "  skde density points.ply -o density.vti\n"
         "      density on an automatic grid with Silverman's bandwidth, for ParaView\n"
         "  skde density quakes.csv --columns long,lat,depth -o quakes.nrrd --picture quakes.png\n"
         "      named columns, a volume for Slicer and a picture of it\n"
         "  skde info points.ply\n"
         "      counts, bounds, covariance, suggested bandwidths and the memory a grid needs\n"
         "\nExit codes: 0 done, 2 usage, 3 input, 4 output, 5 memory or device, 130 cancelled\n";
}

const Command& command_named(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Command& command : kCommands) {
    if (command.name == name) return command;
    names.push_back(command.name);
  }
  throw Error(ErrorKind::usage,
              fmt::format("unknown {} '{}'{}", name.starts_with('-') ? "flag" : "command", name,
                          suggestion(name, names)));
}

/// `argument` so that a shell reads it as one word.
std::string shell_quoted(const std::string& argument) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,=+@%";
  if (!argument.empty() && argument.find_first_not_of(kPlain) == argument.npos) return argument;
  std::string quoted = "'";
  for (const char c : argument) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

void dispatch(const std::vector<std::string>& arguments) {
  if (arguments.empty())
    throw Error(ErrorKind::usage, "no command is named; 'skde --help' lists them");
  const std::string& first = arguments.front();
  if (first == "--version" || first == "-V") return print(version_line("skde"));
  const bool help = first == "help" || first == "--help" || first == "-h";
  if (help && arguments.size() == 1) return print(help_page());
  if (help) return command_named(arguments[1]).run({{"--help"}, ""});
  Invocation invocation{{arguments.begin() + 1, arguments.end()}, "skde"};
  for (const std::string& argument : arguments)
    invocation.command_line += ' ' + shell_quoted(argument);
  command_named(first).run(invocation);
}

}  // namespace

std::span<const Command> command_table() { return kCommands; }

int run_program(const std::vector<std::string>& arguments) {
  return exit_code_of("skde", [&] { dispatch(arguments); });
}

}  // namespace skde::apps
