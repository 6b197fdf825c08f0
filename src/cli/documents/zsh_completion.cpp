#include "cli/documents/zsh_completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/documents/value_choice.hpp"

namespace skde::cli {
namespace {

/// Puts `text` in single quotes, and escapes `special` characters, which zsh's functions interpret.
std::string quoted(std::string_view text, std::string_view special) {
  std::string shown;
  for (const char c : text) {
    if (special.find(c) != special.npos) shown += '\\';
    shown += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return shown;
}

/// Returns the action of _arguments for one choice. After a leading blank, _arguments adds no flags
/// of its own to the call.
std::string action(const ValueChoice& choice) {
  const std::string words = fmt::format("({})", fmt::join(choice.words, " "));
  if (choice.files && !choice.words.empty())
    return fmt::format(" _alternative \"words\\:word\\:{}\" \"files\\:file\\:_files\"", words);
  if (choice.files && !choice.suffix.empty())
    return fmt::format("_files -g \"*{}\"", choice.suffix);
  if (choice.files) return "_files";
  if (choice.folders) return "_files -/";
  return choice.words.empty() ? " " : words;
}

std::string flag_lines(const FieldText& flag) {
  const std::string help = quoted(flag.help, "[]:\\");
  const std::string value = flag.value.empty()
                                ? ""
                                : fmt::format("{}:{}:{}", flag.bare.empty() ? "" : ":",
                                              quoted(flag.value, ":\\"), action(choice_of(flag)));
  const bool is_switch = flag.value.empty();
  if (!flag.letter)
    return fmt::format("      '--{}{}[{}]{}'", flag.name, is_switch ? "" : "=", help, value);
  const std::string both = fmt::format("(-{} --{})", flag.letter, flag.name);
  return fmt::format("      '{0}-{1}{2}[{3}]{4}' \\\n      '{0}--{5}{6}[{3}]{4}'", both,
                     flag.letter, is_switch ? "" : "+", help, value, flag.name,
                     is_switch ? "" : "=");
}

std::string table_call(const TableDescription& table) {
  std::vector<std::string> lines{"    _arguments"};
  for (const FlagGroup& group : table.groups)
    for (const FieldText& flag : group.flags) lines.push_back(flag_lines(flag));
  lines.push_back(flag_lines({.name = "help", .help = "all flags, with examples", .letter = 'h'}));
  const ValueChoice arguments = choice_of_arguments(table);
  if (!arguments.is_open())
    lines.push_back(fmt::format("      '*:argument:{}'", action(arguments)));
  return fmt::format("{}\n", fmt::join(lines, " \\\n"));
}

std::string commands_call(const ProgramDescription& program) {
  std::string names, cases;
  for (const CommandDescription& command : program.commands) {
    names += fmt::format("    '{}:{}'\n", command.name, quoted(command.summary, ":\\"));
    cases += fmt::format("  {})\n{}    ;;\n", command.name, table_call(command.table));
  }
  return fmt::format(
      "  local -a commands=(\n{}  )\n"
      "  if ((CURRENT == 2)); then\n"
      "    _describe command commands\n"
      "    _arguments '(- *)'{{-h,--help}}'[commands]' '(- *)'{{-V,--version}}'[version, compiler, "
      "CUDA]'\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  ((CURRENT--))\n"
      "  case $command in\n"
      "  help) _describe command commands ;;\n"
      "{}  esac\n",
      names, cases);
}

}  // namespace

std::string zsh_completion(const ProgramDescription& program) {
  return fmt::format(
      "#compdef {0}\n"
      "# Completion of {0} for zsh, made from its tables of flags.\n\n"
      "_{0}() {{\n{1}}}\n\n"
      "if [[ $funcstack[1] == _{0} ]]; then\n  _{0} \"$@\"\nelse\n  compdef _{0} {0}\nfi\n",
      program.name, program.table ? table_call(*program.table) : commands_call(program));
}

}  // namespace skde::cli
