#include "cli/documents/document.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/version.hpp"

namespace skde::cli {
namespace {

/// Escapes `text` so that roff shows it literally. Otherwise roff would see macros, or print
/// typographic hyphens, quotes and accents.
std::string escaped(std::string_view text) {
  std::string shown = text.starts_with('.') ? "\\&" : "";
  for (const char c : text) {
    static constexpr std::array<std::pair<char, std::string_view>, 6> kEscapes{{
        {'\\', "\\e"},
        {'-', "\\-"},
        {'\'', "\\(aq"},
        {'^', "\\(ha"},
        {'~', "\\(ti"},
        {'`', "\\(ga"},
    }};
    const auto found = std::ranges::find(kEscapes, c, &std::pair<char, std::string_view>::first);
    shown += found == kEscapes.end() ? std::string(1, c) : std::string(found->second);
  }
  return shown;
}

std::string bold(std::string_view text) { return fmt::format("\\fB{}\\fR", escaped(text)); }
std::string italic(std::string_view text) { return fmt::format("\\fI{}\\fR", escaped(text)); }

std::string page_name(const ProgramDescription& program, const CommandDescription& command) {
  return fmt::format("{}-{}", program.name, command.name);
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return text;
}

std::string head(const std::string& name, std::string_view summary) {
  return fmt::format(".TH \"{}\" 1 \"\" \"skde {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n",
                     escaped(upper(name)), kVersion, escaped(name), escaped(summary));
}

/// A paragraph with a tag that hangs out.
std::string tagged(const std::string& tag, std::string_view text) {
  return fmt::format(".TP\n{}\n{}\n", tag, escaped(text));
}

std::string flag_paragraph(const FieldText& flag) {
  std::string tag = flag.letter ? bold(fmt::format("-{}", flag.letter)) + ", " : "";
  tag += bold("--" + flag.name);
  if (!flag.value.empty()) tag += ' ' + italic(value_form(flag));
  const std::string standard = flag.by_default.empty() ? "" : " [" + flag.by_default + "]";
  return tagged(tag, flag.help + standard);
}

std::string synopsis(const TableDescription& table) {
  return fmt::format(".SH SYNOPSIS\n{} {}\n.SH DESCRIPTION\n{}\n", bold(table.command),
                     escaped(table.arguments), escaped(table.summary));
}

std::string flags(const TableDescription& table) {
  std::string text = ".SH OPTIONS\n";
  const bool has_titles = table.groups.size() > 1;
  for (const FlagGroup& group : table.groups) {
    if (group.flags.empty()) continue;
    if (has_titles) text += fmt::format(".SS {}\n", escaped(group.title));
    for (const FieldText& flag : group.flags) text += flag_paragraph(flag);
  }
  return text + (has_titles ? ".SS Help\n" : "") +
         flag_paragraph({.name = "help", .help = "all flags, with examples", .letter = 'h'});
}

std::string examples(const std::vector<Example>& examples) {
  std::string text = examples.empty() ? "" : ".SH EXAMPLES\n";
  for (const Example& example : examples) text += tagged(bold(example.line), example.meaning);
  return text;
}

std::string exit_codes() {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kCodes{{
      {"0", "done"},
      {"1", "a requested check failed"},
      {"2", "the command line is invalid, or this build or engine does not support it"},
      {"3", "an input cannot be used"},
      {"4", "a result cannot be written"},
      {"5", "not enough memory, or no usable device"},
      {"130", "cancelled"},
  }};
  std::string text = ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] : kCodes) text += tagged(bold(code), meaning);
  return text;
}

std::string see_also(const std::vector<std::string>& pages) {
  std::string text;
  for (const std::string& page : pages)
    text += fmt::format("{}{}(1)", text.empty() ? "" : ",\n", bold(page));
  return text.empty() ? "" : ".SH SEE ALSO\n" + text + '\n';
}

std::vector<std::string> pages_of(const ProgramDescription& program) {
  std::vector<std::string> pages;
  for (const CommandDescription& command : program.commands)
    pages.push_back(page_name(program, command));
  return pages;
}

std::string commands(const ProgramDescription& program) {
  std::string text = fmt::format(".SH SYNOPSIS\n{} {} [{}]\n.SH COMMANDS\n", bold(program.name),
                                 italic("COMMAND"), italic("ARGUMENTS"));
  for (const CommandDescription& command : program.commands)
    text += tagged(bold(command.name),
                   fmt::format("{}; see {}(1)", command.summary, page_name(program, command)));
  return text + ".SH OPTIONS\n" +
         flag_paragraph(
             {.name = "help", .help = "the commands, or the flags of a command", .letter = 'h'}) +
         flag_paragraph({.name = "version", .help = "version, compiler, CUDA", .letter = 'V'});
}

}  // namespace

std::string man_page(const ProgramDescription& program) {
  const std::string body =
      program.table ? synopsis(*program.table) + flags(*program.table) : commands(program);
  return head(program.name, program.summary) + body + examples(program.examples) + exit_codes() +
         see_also(pages_of(program));
}

std::string man_page(const ProgramDescription& program, const CommandDescription& command) {
  std::vector<std::string> others{program.name};
  for (const std::string& page : pages_of(program))
    if (page != page_name(program, command)) others.push_back(page);
  return head(page_name(program, command), command.summary) + synopsis(command.table) +
         flags(command.table) + examples(command.table.examples) + exit_codes() + see_also(others);
}

}  // namespace skde::cli
