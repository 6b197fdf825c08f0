#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/documents/command_description.hpp"
#include "core/report/value_parsers.hpp"

namespace skde::cli {

/// Throws Error(usage).
[[noreturn]] void usage_error(const std::string& message);

/// What a command line held besides the values, which are already in their fields.
struct ParsedFlags {
  std::map<std::string, unsigned, std::less<>> given;  ///< the given flags, and FieldText::runs
  std::vector<std::string> positionals;                ///< arguments that are not flags, in order
  std::string command{};                               ///< as the user types it
  bool help_wanted = false;                            ///< --help was given; no field is set then
  bool all_wanted = false;                             ///< --help was followed by "all"

  bool has(std::string_view name) const { return given.contains(name); }
  /// Throws Error(usage), which says `why`, if another flag is given.
  void require_only(std::initializer_list<std::string_view> names, std::string_view why) const;
  /// Throws Error(usage), which says `why`, if a given flag does not apply to a kind of run.
  void require_applying(unsigned run_kind, std::string_view why) const;
  /// Throws Error(usage) if there is an argument that is not a flag.
  void require_no_positionals() const;
};

/// A table from flag names to typed fields of the caller's options, which also gives the help page.
/// cxxopts splits the command line; the rows turn its strings into values.
///
/// Usage: group(), flag() and value() fill the table with references to fields; parse() sets the
/// fields. The fields must outlive the use of the table.
class OptionTable {
 public:
  /// `command` is what the user types ("skde density"); `arguments` follow it ("IN... -o OUT").
  OptionTable(std::string command, std::string arguments, std::string summary);

  /// Sets the words that arguments may be if they are neither flags nor files.
  void argument_words(std::vector<std::string> words);
  /// Begins a group: flags added from here on are under this title.
  void group(std::string title);
  /// Adds a switch: `field` becomes true if it is given.
  void flag(FieldText text, bool& field);
  /// Adds a flag with a value: field = parser(value).
  template <class Field, class Parser>
  void value(FieldText text, Field& field, Parser parser) {
    if constexpr (requires { parser.type(); }) text.type = parser.type();
    std::function<void(const std::string&)> assign = [&field, parser](const std::string& given) {
      field = parser(given);
    };
    apply(std::move(text), std::move(assign));
  }
  void value(FieldText text, std::string& field) {
    value(std::move(text), field, [](const std::string& given) { return given; });
  }
  /// Adds a flag whose value sets more than one field; a switch if the text has no value.
  void apply(FieldText text, std::function<void(const std::string&)> assign);
  /// Sets the flags that --help shows; `--help all` shows the rest as well. By default it shows
  /// all.
  void most_used(std::vector<std::string_view> names);
  /// Adds a command line and its meaning to the end of the help page.
  void example(std::string line, std::string meaning);

  /// Sets the fields. Throws Error(usage) if a flag is unknown (naming the nearest one), given
  /// twice, without its value or with one that its row rejects.
  ParsedFlags parse(std::span<const std::string> arguments) const;
  /// Returns the help page that was asked for, at most `width` columns wide.
  std::string help(const ParsedFlags& flags, std::size_t width = 96) const;
  TableDescription describe() const;
  const std::string& command() const { return command_; }
  /// Returns the names of all flags, without dashes, and "help".
  std::vector<std::string_view> names() const;

 private:
  struct Row {
    FieldText text;
    std::size_t group = 0;
    std::function<void(const std::string&)> assign;

    bool is_switch() const { return text.value.empty(); }
  };

  bool is_most_used(const Row& row) const;
  [[noreturn]] void throw_unknown(std::string_view typed) const;
  void assign(const Row& row, const std::string& given) const;
  std::vector<std::string> with_joined_values(std::span<const std::string> arguments) const;

  std::string command_, arguments_, summary_;
  std::vector<std::string> groups_;
  std::vector<Row> rows_;
  std::vector<std::string> argument_words_;
  std::vector<std::string_view> most_used_;
  std::vector<Example> examples_;
};

/// Adds --json, --quiet and --strict, for commands that end with a summary.
void add_summary_flags(OptionTable& table, bool& json, bool& quiet);
void add_strict_flag(OptionTable& table);

}  // namespace skde::cli
