#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/report/error.hpp"

namespace skde::cli {

/// Of the documents that --json asks for; src/skde/summary_schema.json describes them. It counts up
/// where a name goes or changes its meaning, not where one is added.
inline constexpr int kSchemaVersion = 1;

/// The beginning of a document of this kind.
nlohmann::ordered_json json_document(std::string_view kind);

/// Why there is no other document.
struct Failure {
  std::string kind;  ///< error_kind_name(), or "check" or "internal"
  std::string message;
  ErrorAdvice advice;
  int exit_code = 0;
};
nlohmann::ordered_json error_document(const Failure& failure);

/// The text, or null where it is empty.
nlohmann::ordered_json text_or_null(const std::string& text);

}  // namespace skde::cli
