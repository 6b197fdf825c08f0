#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "cli/documents/document.hpp"

namespace skde::cli {
namespace {

/// Names a program's functions: `_skde`, or `_skde_view` for skde-view.
std::string function_name(std::string program) {
  std::ranges::replace(program, '-', '_');
  return '_' + program;
}

/// Returns the commands that fill COMPREPLY for one choice, separated by semicolons.
std::string offer(const std::string& function, const ValueChoice& choice) {
  std::vector<std::string> calls;
  if (!choice.words.empty())
    calls.push_back(fmt::format("{}_words '{}'", function, fmt::join(choice.words, " ")));
  if (choice.files) calls.push_back(fmt::format("{}_files '{}'", function, choice.suffix));
  if (choice.folders) calls.push_back(function + "_folders");
  return fmt::format("{}", fmt::join(calls, "; "));
}

std::string spelled(const FieldText& flag, const char* between) {
  const std::string letter = flag.letter ? fmt::format("-{}{}", flag.letter, between) : "";
  return letter + "--" + flag.name;
}

std::string table_cases(const std::string& function, const TableDescription& table) {
  std::string cases, all;
  std::vector<std::string> open;  // flags whose values cannot be completed
  for (const FlagGroup& group : table.groups)
    for (const FieldText& flag : group.flags) {
      all += spelled(flag, " ") + ' ';
      if (flag.value.empty()) continue;
      const ValueChoice choice = choice_of(flag);
      if (choice.is_open())
        open.push_back(spelled(flag, " | "));
      else
        cases += fmt::format("    {}) {} ;;\n", spelled(flag, " | "), offer(function, choice));
    }
  if (!open.empty()) cases += fmt::format("    {}) ;;\n", fmt::join(open, " | "));
  const ValueChoice arguments = choice_of_arguments(table);
  const std::string rest = arguments.is_open() ? ":" : offer(function, arguments);
  return fmt::format(
      "    case $previous in\n{}"
      "    *) if [[ $current == -* ]]; then {}_words '{}-h --help'; else {}; fi ;;\n    esac\n",
      cases, function, all, rest);
}

std::string commands_cases(const std::string& function, const ProgramDescription& program) {
  std::string names, cases;
  for (const CommandDescription& command : program.commands) {
    names += command.name + ' ';
    cases += fmt::format("  {})\n{}    ;;\n", command.name, table_cases(function, command.table));
  }
  return fmt::format(
      "  if ((COMP_CWORD == 1)); then\n"
      "    {0}_words '{1}help --help --version'\n"
      "    return\n"
      "  fi\n"
      "  case ${{COMP_WORDS[1]}} in\n"
      "  help) {0}_words '{1}' ;;\n"
      "{2}  esac\n",
      function, names, cases);
}

// %NAME% and %FUNCTION% are replaced by those of the program. A flag and its value in one word,
// --name=value, reach a completion as three words.
constexpr std::string_view kScript =
    R"(# Completion of %NAME% for bash, made from its tables of flags.

%FUNCTION%_add() {
  mapfile -t -O ${#COMPREPLY[@]} COMPREPLY
}

%FUNCTION%_words() {
  %FUNCTION%_add < <(compgen -W "$1" -- "$current")
}

%FUNCTION%_files() {
  compopt -o filenames 2> /dev/null
  if [[ -n $1 ]]; then %FUNCTION%_add < <(compgen -d -- "$current"); fi
  %FUNCTION%_add < <(compgen -f -X "${1:+!*$1}" -- "$current")
}

%FUNCTION%_folders() {
  compopt -o filenames 2> /dev/null
  %FUNCTION%_add < <(compgen -d -- "$current")
}

%FUNCTION%() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  COMPREPLY=()
%CASES%}

complete -F %FUNCTION% %NAME%
)";

void replace_all(std::string& text, std::string_view name, const std::string& by) {
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + by.size()))
    text.replace(at, name.size(), by);
}

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

std::string bash_completion(const ProgramDescription& program) {
  const std::string function = function_name(program.name);
  std::string script(kScript);
  replace_all(script, "%NAME%", program.name);
  replace_all(script, "%FUNCTION%", function);
  replace_all(
      script, "%CASES%",
      program.table ? table_cases(function, *program.table) : commands_cases(function, program));
  return script;
}

std::string zsh_completion(const ProgramDescription& program) {
  return fmt::format(
      "#compdef {0}\n"
      "# Completion of {0} for zsh, made from its tables of flags.\n\n"
      "_{0}() {{\n{1}}}\n\n"
      "if [[ $funcstack[1] == _{0} ]]; then\n  _{0} \"$@\"\nelse\n  compdef _{0} {0}\nfi\n",
      program.name, program.table ? table_call(*program.table) : commands_call(program));
}

}  // namespace skde::cli
