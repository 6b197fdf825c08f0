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

/// A row of a table of results: a field of JSON, or what people are told.
struct AnyField {
  std::string_view name{};   ///< in JSON; empty: it is for people alone
  std::string_view about{};  ///< its description in the schema
  /// Null, as the schema, of an object with parts. A discarded value is left out. Not a
  /// std::function, which takes twice as long to compile.
  nlohmann::ordered_json (*value)(const void* source, const void* result) = nullptr;
  alignas(void*) std::array<char, 16> source{};  ///< where it is: a pointer to a member
  nlohmann::ordered_json (*schema)(nlohmann::ordered_json& types) = nullptr;
  /// Puts a value in its place; null where it follows from others.
  void (*read)(const void* source, void* result, const nlohmann::ordered_json& value) = nullptr;
  bool may_lack = false;          ///< it is left out where it says nothing
  std::vector<AnyField> parts{};  ///< fields of an object, about the same result
  /// Prints something for people.
  std::function<void(Report&, const void* result)> tell{};
};

/// The fields of a type of results, in the order in which JSON and reports have them.
struct AnyTable {
  std::string_view name{};   ///< of its schema, and the kind of a document; may be empty
  std::string_view about{};  ///< of a document, the command that prints it
  std::vector<AnyField> fields{};
};

template <class T>
class Fields;
/// The table of the fields of T.
template <class T>
const AnyTable& result_table();

// `types` gathers the schemas of the types that have names.

nlohmann::ordered_json object_json(const std::vector<AnyField>& fields, const void* result);
/// Puts the values of an object's fields in their places in the result. Throws
/// nlohmann::json::exception where one is missing or of another type.
void read_object(const std::vector<AnyField>& fields, const nlohmann::ordered_json& object,
                 void* result);
/// A reference to it where the table has a name.
nlohmann::ordered_json object_schema(const AnyTable& table, nlohmann::ordered_json& types);
/// With the version and the kind before the fields.
nlohmann::ordered_json document_json(const AnyTable& table, const void* result);
nlohmann::ordered_json document_reference(const AnyTable& table, nlohmann::ordered_json& types);
/// The schema with null for one more value.
nlohmann::ordered_json nullable(nlohmann::ordered_json schema);

/// The JSON Schema of a choice of documents.
nlohmann::ordered_json schema_of_documents(std::span<const AnyTable* const> documents);

/// The text report of a result: labelled lines.
std::string report_text(const AnyTable& table, const void* result);

}  // namespace skde::cli
