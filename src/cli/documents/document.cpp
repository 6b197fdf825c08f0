#include "cli/documents/document.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "cli/documents/document_texts.hpp"
#include "core/report/error.hpp"

namespace skde::cli {
namespace {

std::string command_names(const ProgramDescription& program) {
  std::string names;
  for (const CommandDescription& command : program.commands) names += command.name + '\n';
  return names;
}

std::string command_page(const ProgramDescription& program, const std::string& name) {
  const auto named = [&](const CommandDescription& command) { return command.name == name; };
  const auto found = std::ranges::find_if(program.commands, named);
  if (found == program.commands.end())
    throw Error(ErrorKind::usage,
                fmt::format("{0} has no command '{1}'; see '{0} --help'", program.name, name));
  return man_page(program, *found);
}

/// Returns "Shows the density; ..." as half a sentence for the head of a page.
std::string half_sentence(const std::string& summary) {
  std::string half = summary.substr(0, summary.find_first_of(";."));
  if (!half.empty())
    half.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(half.front())));
  return half;
}

}  // namespace

std::string document(const ProgramDescription& program, std::span<const std::string> what) {
  const std::string form = what.empty() ? "" : what.front();
  if (form == "man" && what.size() == 2) return command_page(program, what[1]);
  if (what.size() == 1) {
    if (form == "man") return man_page(program);
    if (form == "bash") return bash_completion(program);
    if (form == "zsh") return zsh_completion(program);
    if (form == "commands") return command_names(program);
  }
  throw Error(ErrorKind::usage,
              fmt::format("expected man [COMMAND], bash, zsh or commands after '{}'; got '{}'",
                          kDescribeFlag, fmt::join(what, " ")));
}

std::optional<std::string> wanted_document(const TableDescription& table,
                                           std::span<const std::string> arguments) {
  if (arguments.empty() || arguments.front() != kDescribeFlag) return std::nullopt;
  return document({table.command, half_sentence(table.summary), {}, table, table.examples},
                  arguments.subspan(1));
}

}  // namespace skde::cli
