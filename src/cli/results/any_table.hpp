#pragma once

#include <array>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skde::cli {

class Report;

/// A row of a table of results: a JSON field, or text for people.
struct AnyField {
  std::string_view name{};   ///< in JSON; empty: only for people
  std::string_view about{};  ///< its description in the schema
  /// Null, like `schema`, for an object with parts. A discarded value is left out. Not a
  /// std::function, which takes twice as long to compile.
  nlohmann::ordered_json (*value)(const void* source, const void* result) = nullptr;
  alignas(void*) std::array<char, 16> source{};  ///< location of the value: a pointer to a member
  nlohmann::ordered_json (*schema)(nlohmann::ordered_json& types) = nullptr;
  /// Puts a value in its place; null if the value follows from others.
  void (*read)(const void* source, void* result, const nlohmann::ordered_json& value) = nullptr;
  bool may_lack = false;          ///< left out if there is nothing to say
  std::vector<AnyField> parts{};  ///< fields of an object, for the same result
  /// Prints something for people.
  std::function<void(Report&, const void* result)> tell{};
};

/// The fields of a result type, in the order of JSON and reports.
struct AnyTable {
  std::string_view name{};   ///< of its schema, and the kind of a document; may be empty
  std::string_view about{};  ///< for a document, the command that prints it
  std::vector<AnyField> fields{};
};

template <class T>
class Fields;
/// Returns the table of the fields of T.
template <class T>
const AnyTable& result_table();

// `types` collects the schemas of the types that have names.

nlohmann::ordered_json object_json(const std::vector<AnyField>& fields, const void* result);
/// Puts the values of an object's fields in their places in the result. Throws
/// nlohmann::json::exception if one is missing or of another type.
void read_object(const std::vector<AnyField>& fields, const nlohmann::ordered_json& object,
                 void* result);
/// Returns the schema of an object, or a reference to it if the table has a name.
nlohmann::ordered_json object_schema(const AnyTable& table, nlohmann::ordered_json& types);
/// Returns a document: the version and the kind come before the fields.
nlohmann::ordered_json document_json(const AnyTable& table, const void* result);
nlohmann::ordered_json document_reference(const AnyTable& table, nlohmann::ordered_json& types);
/// Returns the schema, extended to allow null.
nlohmann::ordered_json nullable(nlohmann::ordered_json schema);

/// Returns the JSON Schema of a choice of documents.
nlohmann::ordered_json schema_of_documents(std::span<const AnyTable* const> documents);

/// Returns the text report of a result: labelled lines.
std::string report_text(const AnyTable& table, const void* result);

}  // namespace skde::cli
