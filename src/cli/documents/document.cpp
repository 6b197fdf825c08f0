#include "cli/documents/document.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

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

constexpr std::array<std::string_view, 5> kFiles{"FILE", "VOLUME", "CLOUD", "PATH", "IN"};

bool is_word(std::string_view part) {
  return !part.empty() && part.front() != '-' && std::ranges::all_of(part, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

/// One of the parts between bars: "data", "FILE", "FILE.png", "FOLDER", or a form of numbers.
void add_part(std::string_view part, ValueChoice& choice) {
  const std::size_t dot = part.find('.');
  const bool has_suffix = dot != part.npos && is_word(part.substr(dot + 1));
  if (is_word(part)) {
    if (std::ranges::find(choice.words, part) == choice.words.end())
      choice.words.emplace_back(part);
  } else if (has_suffix) {
    choice.files = true;
    choice.suffix = part.substr(dot);
  } else if (std::ranges::find(kFiles, part) != kFiles.end()) {
    choice.files = true;
  } else if (part == "FOLDER") {
    choice.folders = true;
  }
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

ValueChoice choice_of(const FieldText& flag) {
  ValueChoice choice{flag.words};
  std::string_view rest = flag.value;
  while (!rest.empty()) {
    const std::size_t bar = std::min(rest.find('|'), rest.size());
    add_part(rest.substr(0, bar), choice);
    rest.remove_prefix(std::min(bar + 1, rest.size()));
  }
  if (choice.files) choice.folders = false;
  return choice;
}

ValueChoice choice_of_arguments(const TableDescription& table) {
  ValueChoice choice{table.argument_words};
  std::string_view first = table.arguments;
  first = first.substr(0, first.find(' '));
  if (first.starts_with('[')) first.remove_prefix(1);
  first = first.substr(0, first.find(']'));
  if (first.ends_with("...")) first.remove_suffix(3);
  if (choice.words.empty()) add_part(first, choice);
  return choice;
}

}  // namespace skde::cli
