#include "apps/command_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <new>

#include "apps/cancellation.hpp"
#include "apps/standard_output.hpp"
#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "core/version.hpp"

namespace skde::apps {
namespace {

std::string help_page(const CommandProgram& program) {
  std::string page = fmt::format("{0}: {1}\n\nUsage: {0} COMMAND [ARGUMENTS]\n\nCommands\n",
                                 program.name, program.summary);
  for (const Command& command : program.commands)
    page += fmt::format("  {:<10} {}\n", command.name, command.summary);
  return page + fmt::format(
                    "\n  {0} COMMAND --help   the flags of a command, with examples\n"
                    "  {0} --version        version, compiler, CUDA\n"
                    "\nExamples\n{1}"
                    "\nExit codes: 0 done, 2 usage, 3 input, 4 output, 5 memory or device, 130 "
                    "cancelled\n",
                    program.name, program.examples);
}

std::string version_line(const CommandProgram& program) {
  return fmt::format("{} {} (compiler {}, CUDA {})\n", program.name, kVersion,
#if defined(__clang__)
                     "clang " __clang_version__,
#else
                     "g++ " __VERSION__,
#endif
                     SKDE_HAS_CUDA ? "yes" : "no");
}

const Command& command_named(const CommandProgram& program, const std::string& name) {
  std::vector<std::string_view> names;
  for (const Command& command : program.commands) {
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

void dispatch(const CommandProgram& program, const std::vector<std::string>& arguments) {
  if (arguments.empty())
    throw Error(ErrorKind::usage,
                fmt::format("no command is named; '{} --help' lists them", program.name));
  const std::string& first = arguments.front();
  if (first == "--version" || first == "-V") return print(version_line(program));
  const bool help = first == "help" || first == "--help" || first == "-h";
  if (help && arguments.size() == 1) return print(help_page(program));
  if (help) return command_named(program, arguments[1]).run({{"--help"}, ""});
  Invocation invocation{{arguments.begin() + 1, arguments.end()}, std::string(program.name)};
  for (const std::string& argument : arguments)
    invocation.command_line += ' ' + shell_quoted(argument);
  command_named(program, first).run(invocation);
}

/// Prints the one line of an error. Line breaks inside (in a file's name, say) become blanks.
int report(const CommandProgram& program, std::string message, ErrorKind kind) {
  // Whatever failed after the user asked to stop, failed because of it.
  if (cancel_requested()) {
    message = "cancelled";
    kind = ErrorKind::cancelled;
  }
  std::ranges::replace_if(
      message, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  fmt::print(stderr, "{}: {}\n", program.name, message);
  return static_cast<int>(kind);
}

}  // namespace

int run_commands(const CommandProgram& program, const std::vector<std::string>& arguments) {
  try {
    dispatch(program, arguments);
    return 0;
  } catch (const Error& error) {
    return report(program, error.what(), error.kind());
  } catch (const std::bad_alloc&) {
    return report(program, fmt::format("out of memory; use {}", program.memory_hint),
                  ErrorKind::resources);
  } catch (const std::exception& error) {
    return report(program, fmt::format("unexpected failure: {}", error.what()),
                  ErrorKind::resources);
  }
}

}  // namespace skde::apps
