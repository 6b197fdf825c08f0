#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/report/error.hpp"

namespace skde::cli {

template <class T>
class Fields;

/// The version of the documents that --json prints. It increases if a name is removed or changes
/// its meaning, not if one is added.
inline constexpr int kSchemaVersion = 1;

/// Why a document of another kind could not be made.
struct Failure {
  std::string kind;  ///< error_kind_name(), or "check" or "internal"
  std::string message;
  ErrorAdvice advice;
  int exit_code = 0;
};
nlohmann::ordered_json error_document(const Failure& failure);
void add_fields(Fields<Failure>& add);

}  // namespace skde::cli
