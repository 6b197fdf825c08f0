#include "cli/options/option_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cxxopts.hpp>

namespace skde::cli {
namespace {

/// Returns the name that a cxxopts message has in quotes.
std::string quoted_name(std::string_view message) {
  const std::string_view open = cxxopts::LQUOTE, close = cxxopts::RQUOTE;
  const auto begin = message.find(open);
  const auto end = begin == message.npos ? begin : message.find(close, begin + open.size());
  if (end == message.npos) return std::string(message);
  return std::string(message.substr(begin + open.size(), end - begin - open.size()));
}

/// Flags that programs no longer have, and the hint for each.
constexpr std::array<std::pair<std::string_view, std::string_view>, 1> kFormerFlags{
    {{"server", "docs/tasks/use_service.md shows how programs use a service"}}};

std::string dashed(std::string_view name) {
  return fmt::format("{}{}", name.size() == 1 ? "-" : "--", name);
}

/// Appends `text`, broken between words. All lines but the first are indented by `indent` blanks.
void append_wrapped(std::string& page, std::string_view text, std::size_t indent,
                    std::size_t width) {
  std::size_t column = indent;
  bool first = true;
  while (!text.empty()) {
    const auto blank = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, blank);
    text.remove_prefix(std::min(blank + 1, text.size()));
    if (!first && column + 1 + word.size() > width) {
      page += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!first) {
      page += ' ';
      ++column;
    }
    page += word;
    column += word.size();
    first = false;
  }
  page += '\n';
}

/// Returns "  -o, --output FILE".
std::string usage_of(const FieldText& text) {
  return fmt::format("  {}--{}{}{}", text.letter ? fmt::format("-{}, ", text.letter) : "    ",
                     text.name, text.value.empty() ? "" : " ", value_form(text));
}

cxxopts::ParseResult split(cxxopts::Options& declared, std::span<const std::string> arguments) {
  std::vector<const char*> pointers{"skde"};
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  return declared.parse(static_cast<int>(pointers.size()), pointers.data());
}

}  // namespace

void usage_error(const std::string& message) { throw Error(ErrorKind::usage, message); }

void ParsedFlags::require_no_positionals() const {
  if (!positionals.empty())
    usage_error(fmt::format("unexpected argument '{}'; see '{} --help'", positionals[0], command));
}

void ParsedFlags::require_only(std::initializer_list<std::string_view> names,
                               std::string_view why) const {
  for (const auto& [name, runs] : given)
    if (std::ranges::find(names, name) == names.end())
      usage_error(fmt::format("--{} {}; drop it", name, why));
}

void ParsedFlags::require_applying(unsigned run_kind, std::string_view why) const {
  for (const auto& [name, runs] : given)
    if ((runs & run_kind) == 0) usage_error(fmt::format("--{} {}; drop it", name, why));
}

OptionTable::OptionTable(std::string command, std::string arguments, std::string summary)
    : command_(std::move(command)),
      arguments_(std::move(arguments)),
      summary_(std::move(summary)) {}

void OptionTable::argument_words(std::vector<std::string> words) {
  argument_words_ = std::move(words);
}

void OptionTable::group(std::string title) { groups_.push_back(std::move(title)); }

void OptionTable::flag(FieldText text, bool& field) {
  apply(std::move(text), [&field](const std::string&) { field = true; });
}

void OptionTable::apply(FieldText text, std::function<void(const std::string&)> assign) {
  if (groups_.empty()) group("options");
  rows_.push_back({std::move(text), groups_.size() - 1, std::move(assign)});
}

void OptionTable::most_used(std::vector<std::string_view> names) { most_used_ = std::move(names); }

bool OptionTable::is_most_used(const Row& row) const {
  return most_used_.empty() || std::ranges::find(most_used_, row.text.name) != most_used_.end();
}

void OptionTable::example(std::string line, std::string meaning) {
  examples_.push_back({std::move(line), std::move(meaning)});
}

std::vector<std::string_view> OptionTable::names() const {
  std::vector<std::string_view> all{"help"};
  for (const Row& row : rows_) all.push_back(row.text.name);
  return all;
}

void OptionTable::throw_unknown(std::string_view typed) const {
  const std::string_view nearest = nearest_name(typed, names());
  std::string hint = nearest.empty() ? "" : fmt::format("; did you mean '--{}'?", nearest);
  for (const auto& [name, instead] : kFormerFlags)
    if (typed == name) hint = fmt::format("; {}", instead);
  usage_error(fmt::format("unknown flag '{}'{} (see '{} --help')", dashed(typed), hint, command_));
}

void OptionTable::assign(const Row& row, const std::string& given) const {
  const std::string name = "--" + row.text.name;
  const auto is_flag = [&](std::string_view other) { return given == dashed(other); };
  if (given.empty() || std::ranges::any_of(names(), is_flag))
    usage_error(fmt::format("{} needs a value: {} {}", name, name, row.text.value));
  try {
    row.assign(given);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage || !error.parameter().empty() ||
        error.problem().starts_with("--"))
      throw;
    throw Error(error.kind(), error.problem(), {row.text.name, error.suggestion()});
  }
}

/// Joins a flag with an optional value to one of its words that follows it: "--flag=word".
std::vector<std::string> OptionTable::with_joined_values(
    std::span<const std::string> arguments) const {
  std::vector<std::string> joined;
  const Row* bare = nullptr;  // of the previous argument
  for (const std::string& argument : arguments) {
    const std::string first = argument.substr(0, argument.find_first_of(",:"));
    if (bare && std::ranges::find(bare->text.words, first) != bare->text.words.end()) {
      joined.back().append("=").append(argument);
      bare = nullptr;
      continue;
    }
    const auto row = std::ranges::find_if(rows_, [&](const Row& one) {
      return !one.text.bare.empty() && argument == "--" + one.text.name;
    });
    bare = row == rows_.end() ? nullptr : &*row;
    joined.push_back(argument);
  }
  return joined;
}

TableDescription OptionTable::describe() const {
  TableDescription description{command_, arguments_, summary_, argument_words_, {}, examples_};
  for (const std::string& title : groups_) description.groups.push_back({title, {}});
  for (const Row& row : rows_) description.groups[row.group].flags.push_back(row.text);
  return description;
}

ParsedFlags OptionTable::parse(std::span<const std::string> arguments) const {
  cxxopts::Options declared(command_);
  declared.add_options()("h,help", "");
  for (const Row& row : rows_) {
    const std::string letter = row.text.letter ? fmt::format("{},", row.text.letter) : "";
    const auto may_name_it = [&](const std::string& argument) {
      return argument.find(row.text.name) != argument.npos;
    };
    // To declare all takes longer than a small run of a service.
    if (letter.empty() && std::ranges::none_of(arguments, may_name_it)) continue;
    if (row.is_switch())
      declared.add_options()(letter + row.text.name, "");
    else if (row.text.bare.empty())
      declared.add_options()(letter + row.text.name, "", cxxopts::value<std::string>());
    else
      declared.add_options()(letter + row.text.name, "",
                             cxxopts::value<std::string>()->implicit_value(row.text.bare));
  }
  ParsedFlags parsed{.given = {}, .positionals = {}, .command = command_};
  try {
    const cxxopts::ParseResult result = split(declared, with_joined_values(arguments));
    parsed.help_wanted = result.count("help") > 0;
    parsed.all_wanted = parsed.help_wanted && std::ranges::count(result.unmatched(), "all") > 0;
    if (parsed.help_wanted) return parsed;
    for (const Row& row : rows_) {
      const std::size_t count = result.count(row.text.name);
      if (count == 0) continue;
      if (count > 1)
        usage_error(fmt::format("--{} is given {} times; give it once", row.text.name, count));
      parsed.given.emplace(row.text.name, row.text.runs);
      if (!row.is_switch())
        assign(row, result[row.text.name].as<std::string>());
      else if (result[row.text.name].as<bool>())
        row.assign("");
    }
    parsed.positionals = result.unmatched();
  } catch (const cxxopts::exceptions::no_such_option& error) {
    throw_unknown(quoted_name(error.what()));
  } catch (const cxxopts::exceptions::missing_argument& error) {
    usage_error(fmt::format("{} needs a value; see '{} --help'", dashed(quoted_name(error.what())),
                            command_));
  } catch (const cxxopts::exceptions::exception& error) {
    usage_error(
        fmt::format("'{}' is not a flag; see '{} --help'", quoted_name(error.what()), command_));
  }
  return parsed;
}

std::string OptionTable::help(const ParsedFlags& flags, std::size_t width) const {
  std::vector<const Row*> shown;
  for (const Row& row : rows_)
    if (flags.all_wanted || is_most_used(row)) shown.push_back(&row);
  std::string page;
  append_wrapped(page, summary_, 0, width);
  page += fmt::format("\nUsage: {} {}\n", command_, arguments_);
  std::size_t column = 0;
  for (const Row* row : shown) column = std::max(column, usage_of(row->text).size() + 2);
  column = std::min<std::size_t>(column, 34);
  std::optional<std::size_t> group;
  for (const Row* row : shown) {
    if (group != row->group) page += fmt::format("\n{}\n", groups_[row->group]);
    group = row->group;
    const std::string usage = usage_of(row->text);
    page += usage + (usage.size() + 2 > column ? "\n" + std::string(column, ' ')
                                               : std::string(column - usage.size(), ' '));
    const std::string& standard = row->text.by_default;
    append_wrapped(page, row->text.help + (standard.empty() ? "" : " [" + standard + "]"), column,
                   width);
  }
  if (const std::size_t more = rows_.size() - shown.size(); more > 0)
    page += fmt::format("\n{} more flags: {} --help all\n", more, command_);
  if (!examples_.empty()) page += "\nExamples\n";
  for (const auto& [line, meaning] : examples_)
    page += fmt::format("  {}\n      {}\n", line, meaning);
  return page;
}

void add_summary_flags(OptionTable& table, bool& json, bool& quiet) {
  table.flag(
      {.name = "json", .help = "the summary as one JSON object on standard output", .local = true},
      json);
  table.flag({.name = "quiet",
              .help = "no progress bar, and no summary except that of --json",
              .local = true},
             quiet);
  add_strict_flag(table);
}

void add_strict_flag(OptionTable& table) {
  // exit_code_of() heeds it, as warnings come from every room.
  table.apply({.name = "strict",
               .help = "ends with exit code 1 if there was a warning; what is written stays",
               .local = true},
              [](const std::string&) {});
}

}  // namespace skde::cli
