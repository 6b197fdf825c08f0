#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cli/options/option_table.hpp"

namespace skde::cli {

/// How a command line shows what its command did.
struct SummaryForm {
  bool json = false, quiet = false;  ///< JSON is printed though it is quiet
  bool on_standard_error = false;    ///< as standard output has the result
};

/// The result of a command. A program prints it; a service sends it.
struct CommandResult {
  SummaryForm form{};
  nlohmann::ordered_json summary{};  ///< null where there is none, as of a help page
  std::string report{};              ///< the summary as text for people
};

/// The help page that was asked for.
inline CommandResult help_page(const OptionTable& table, const ParsedFlags& flags) {
  return {{}, nullptr, table.help(flags)};
}

}  // namespace skde::cli
