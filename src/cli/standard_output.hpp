#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace skde::cli {

/// Writes text to standard output and flushes it. Throws Error(output) where that fails, as on a
/// full disk.
void print(std::string_view text);
/// The same of a JSON document. Names of files need not be UTF-8: what is not is replaced.
void print_json(const nlohmann::ordered_json& document);

/// How a command tells what it did.
struct SummaryForm {
  bool json = false, quiet = false;  ///< JSON is printed though it is quiet
  bool on_standard_error = false;    ///< as standard output has the result
};
/// Prints a summary as JSON or for people, or nothing.
void print_summary(const SummaryForm& form, const std::function<nlohmann::ordered_json()>& json,
                   const std::function<std::string()>& text);
/// Where the summary for people goes besides, whatever is printed: for programs that run commands
/// for others. Null: nowhere.
void keep_summary(std::string* text) noexcept;
/// The summary for people is made.
bool tells_people(const SummaryForm& form) noexcept;

/// Opens /dev/null in the place of standard input, output or error where they are closed, in such
/// a way that using them still fails: the next file opened would take their number, and text for
/// the user would end in it. Call first.
void hold_standard_files();

}  // namespace skde::cli
