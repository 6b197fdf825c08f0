#include "cli/json_document.hpp"

namespace skde::cli {

nlohmann::ordered_json json_document(std::string_view kind) {
  return {{"schema_version", kSchemaVersion}, {"kind", kind}};
}

nlohmann::ordered_json error_document(const Failure& failure) {
  nlohmann::ordered_json json = json_document("error");
  json["error"] = failure.kind;
  json["message"] = failure.message;
  json["parameter"] = text_or_null(failure.advice.parameter);
  json["suggestion"] = text_or_null(failure.advice.suggestion);
  json["exit_code"] = failure.exit_code;
  return json;
}

nlohmann::ordered_json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

}  // namespace skde::cli
