#include "cli/documents/value_choice.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace skde::cli {
namespace {

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
