#include "cli/results/any_table.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "cli/results/json_document.hpp"
#include "cli/results/report.hpp"

namespace skde::cli {
namespace {

using Json = nlohmann::ordered_json;

void put_fields(Json& json, const std::vector<AnyField>& fields, const void* result) {
  json.get_ref<Json::object_t&>().reserve(json.size() + fields.size());  // growth copies members
  for (const AnyField& field : fields) {
    if (field.name.empty()) continue;
    Json value =
        field.value ? field.value(field.source.data(), result) : object_json(field.parts, result);
    if (!value.is_discarded()) json[std::string(field.name)] = std::move(value);
  }
}

void add_properties(Json& schema, const std::vector<AnyField>& fields, Json& types) {
  for (const AnyField& field : fields) {
    if (field.name.empty()) continue;
    Json property =
        field.schema ? field.schema(types) : object_schema({{}, {}, field.parts}, types);
    if (!field.about.empty()) property["description"] = field.about;
    if (!field.may_lack) schema["required"].push_back(field.name);
    schema["properties"][std::string(field.name)] = std::move(property);
  }
}

/// Returns the schema with the table's fields. If the table has a name, the schema is put among the
/// types, and a reference is returned.
Json schema_of(const AnyTable& table, Json schema, Json& types) {
  const std::string name(table.name);
  if (name.empty() || !types.contains(name)) {
    add_properties(schema, table.fields, types);
    if (name.empty()) return schema;
    types[name] = std::move(schema);
  }
  return {{"$ref", fmt::format("#/$defs/{}", name)}};
}

}  // namespace

Json object_json(const std::vector<AnyField>& fields, const void* result) {
  Json json = Json::object();
  put_fields(json, fields, result);
  return json;
}

void read_object(const std::vector<AnyField>& fields, const Json& object, void* result) {
  for (const AnyField& field : fields) {
    const std::string name(field.name);
    if (field.read)
      field.read(field.source.data(), result, object.at(name));
    else if (!field.parts.empty())
      read_object(field.parts, object.at(name), result);
  }
}

Json object_schema(const AnyTable& table, Json& types) {
  Json schema{{"type", "object"}, {"required", Json::array()}};
  if (!table.about.empty()) schema["description"] = table.about;
  return schema_of(table, std::move(schema), types);
}

Json document_json(const AnyTable& table, const void* result) {
  Json json{{"schema_version", kSchemaVersion}, {"kind", table.name}};
  put_fields(json, table.fields, result);
  return json;
}

Json document_reference(const AnyTable& table, Json& types) {
  Json schema{
      {"type", "object"},
      {"description", table.about},
      {"required", {"schema_version", "kind"}},
      {"properties",
       {{"schema_version", {{"const", kSchemaVersion}}}, {"kind", {{"const", table.name}}}}}};
  return schema_of(table, std::move(schema), types);
}

Json nullable(Json schema) {
  if (schema.contains("type") && schema["type"].is_string()) {
    schema["type"] = {schema["type"], "null"};
    return schema;
  }
  return {{"oneOf", {std::move(schema), {{"type", "null"}}}}};
}

Json schema_of_documents(std::span<const AnyTable* const> documents) {
  Json choice = Json::array(), types = Json::object();
  for (const AnyTable* table : documents) choice.push_back(document_reference(*table, types));
  return {
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"title",
       fmt::format("What the commands of skde print with --json, version {}", kSchemaVersion)},
      {"description",
       "Lengths are in the units of the coordinates, times in seconds, sizes in bytes. Programs "
       "should ignore names that they do not know: names are added without a new version."},
      {"oneOf", std::move(choice)},
      {"$defs", std::move(types)}};
}

std::string report_text(const AnyTable& table, const void* result) {
  Report report;
  for (const AnyField& field : table.fields)
    if (field.tell) field.tell(report, result);
  return report.text();
}

}  // namespace skde::cli
