#pragma once

#include <string>
#include <vector>

#include "cli/documents/command_description.hpp"

namespace skde::cli {

/// What a shell can offer where a value or an argument stands.
struct ValueChoice {
  std::vector<std::string> words;
  bool files = false;
  bool folders = false;  ///< nothing but folders
  std::string suffix{};  ///< that the files have, as ".png"; empty: any

  bool is_open() const { return words.empty() && !files && !folders; }
};

/// From how the value is written, "data|diag|robust|iso|FILE", and from the words beside it.
ValueChoice choice_of(const FieldText& flag);

/// Of the arguments that are no flags.
ValueChoice choice_of_arguments(const TableDescription& table);

}  // namespace skde::cli
