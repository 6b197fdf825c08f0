#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cli/options/option_table.hpp"

namespace skde::cli {

/// How a command shows what it did.
struct SummaryForm {
  bool json = false, quiet = false;  ///< JSON is printed even if `quiet` is set
  bool on_standard_error = false;    ///< because standard output has the result
};

/// The result of a command. A program prints it; a service sends it.
struct CommandResult {
  SummaryForm form{};
  nlohmann::ordered_json summary{};  ///< null if there is none, as for a help page
  std::string report{};              ///< the summary as text for people
};

}  // namespace skde::cli
