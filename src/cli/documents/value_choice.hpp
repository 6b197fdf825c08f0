#pragma once

#include <string>
#include <vector>

#include "cli/documents/command_description.hpp"

namespace skde::cli {

/// What a shell can offer for a value or an argument.
struct ValueChoice {
  std::vector<std::string> words;
  bool files = false;
  bool folders = false;  ///< only folders
  std::string suffix{};  ///< suffix of the files, as ".png"; empty: any

  bool is_open() const { return words.empty() && !files && !folders; }
};

/// Derives the choice from the form of the value, "data|diag|robust|iso|FILE", and from the flag's
/// words.
ValueChoice choice_of(const FieldText& flag);

/// Derives the choice for arguments that are not flags.
ValueChoice choice_of_arguments(const TableDescription& table);

}  // namespace skde::cli
