#include "cli/command_program.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "cli/documents/document.hpp"
#include "cli/exit_code.hpp"
#include "cli/outputs.hpp"
#include "core/report/error.hpp"
#include "core/report/words.hpp"

namespace skde::cli {
namespace {

std::string help_page(const CommandProgram& program) {
  std::string page = fmt::format("{0}: {1}\n\nUsage: {0} COMMAND [ARGUMENTS]\n\nCommands\n",
                                 program.name, program.summary);
  for (const Command& command : program.commands)
    page += fmt::format("  {:<10} {}\n", command.name, command.summary);
  return page + fmt::format(
                    "\n  {0} COMMAND --help   flags of a command, with examples\n  {0} --version   "
                    "     version, compiler and optional parts\n{2}\nExamples\n{1}\nExit codes: 0 "
                    "done, 2 usage, 3 input, 4 output, 5 memory or device, 130 cancelled\n",
                    program.name, program.examples,
                    program.json_schema
                        ? fmt::format("  {} --json-schema    JSON Schema of what --json prints\n",
                                      program.name)
                        : "");
}

const Command& command_named(const CommandProgram& program, const std::string& name) {
  std::vector<std::string_view> names;
  for (const Command& command : program.commands) {
    if (command.name == name) return command;
    names.push_back(command.name);
  }
  if (name.starts_with('-'))
    throw Error(ErrorKind::usage, fmt::format("expected a command before the flag '{}'", name),
                {{},
                 fmt::format("'{0} --help' lists the commands, and '{0} {1} --help' the flags of "
                             "the first one",
                             program.name, names.front())});
  throw Error(ErrorKind::usage, fmt::format("unknown command '{}'", name),
              {{}, did_you_mean(name, names)});
}

/// Returns `argument` quoted so that a shell reads it as one word.
std::string shell_quoted(const std::string& argument) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,=+@%";
  if (!argument.empty() && argument.find_first_not_of(kPlain) == argument.npos) return argument;
  std::string quoted = "'";
  for (const char c : argument) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// Splits the examples of a help page: command lines are indented by two blanks, meanings by more.
std::vector<Example> split_examples(std::string_view text) {
  std::vector<Example> examples;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent == line.npos) continue;
    if (indent <= 2)
      examples.push_back({std::string(line.substr(indent)), ""});
    else
      examples.back().meaning += line.substr(indent);
  }
  return examples;
}

ProgramDescription describe(const CommandProgram& program) {
  ProgramDescription description{std::string(program.name),
                                 std::string(program.summary),
                                 {},
                                 {},
                                 split_examples(program.examples)};
  for (const Command& command : program.commands)
    description.commands.push_back(
        {std::string(command.name), std::string(command.summary), command.describe()});
  return description;
}

void dispatch(const CommandProgram& program, const std::vector<std::string>& arguments) {
  if (arguments.empty())
    throw Error(ErrorKind::usage,
                fmt::format("no command is given; see '{} --help'", program.name));
  const std::string& first = arguments.front();
  if (first == "--version" || first == "-V") return print(version_line(program.name));
  if (first == "--json-schema" && program.json_schema) return print(program.json_schema());
  if (first == kDescribeFlag)
    return print(document(describe(program), std::span(arguments).subspan(1)));
  const bool help = first == "help" || first == "--help" || first == "-h";
  if (help && arguments.size() == 1) return print(help_page(program));
  if (help) {
    std::vector<std::string> rest{"--help"};
    rest.insert(rest.end(), arguments.begin() + 2, arguments.end());
    return print_result(command_named(program, arguments[1]).run({std::move(rest), ""}));
  }
  print_result(
      command_named(program, first)
          .run({{arguments.begin() + 1, arguments.end()}, command_line(program.name, arguments)}));
}

}  // namespace

std::string command_line(std::string_view program, std::span<const std::string> arguments) {
  std::string line(program);
  for (const std::string& argument : arguments) line += ' ' + shell_quoted(argument);
  return line;
}

int run_commands(const CommandProgram& program, const std::vector<std::string>& arguments) {
  const auto given = [&](const char* flag) {
    return std::ranges::find(arguments, flag) != arguments.end();
  };
  return exit_code_of({program.name, program.memory_hint, program.json_schema && given("--json"),
                       given("--strict")},
                      [&] { dispatch(program, arguments); });
}

}  // namespace skde::cli
