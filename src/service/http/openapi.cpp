#include "service/http/openapi.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>

#include "core/version.hpp"
#include "io/text/json_object.hpp"

namespace skde::service {
namespace {

using Json = nlohmann::ordered_json;

Json number_schema(const ValueType& type) {
  const bool whole = type.kind == ValueType::Kind::whole;
  const auto number = [&](double limit) {
    return whole ? Json(static_cast<std::int64_t>(limit)) : Json(limit);
  };
  Json schema{{"type", whole ? "integer" : "number"}};
  // The limits of a double or of 64 bits carry no information.
  if (type.least && *type.least > std::numeric_limits<double>::lowest())
    schema["minimum"] = number(*type.least);
  if (type.most && *type.most < 0x1p62) schema["maximum"] = number(*type.most);
  return schema;
}

/// Numbers may also be given as texts such as 1e6, and lists as arrays.
Json flag_schema(const FieldText& flag) {
  const ValueType& type = flag.type;
  if (flag.value.empty()) return {{"type", "boolean"}, {"default", false}};
  if (!type.words.empty() && (type.only_words || flag.names_file))
    return {{"type", "string"}, {"enum", type.words}};
  if (type.kind != ValueType::Kind::text)
    return {{"oneOf", {number_schema(type), {{"type", "string"}}}}};
  Json schema{{"oneOf",
               {{{"type", "string"}},
                {{"type", "number"}},
                {{"type", "array"},
                 {"items", {{"oneOf", {{{"type", "string"}}, {{"type", "number"}}}}}}}}}};
  if (!flag.words.empty()) schema["example"] = flag.words.front();
  return schema;
}

Json format_description(const Process& process) {
  std::vector<std::string> names;
  names.reserve(process.formats.size());
  for (const cli::ResultFormat& format : process.formats) names.push_back(format.name);
  return {{"title", "format"},
          {"description", "format of the file"},
          {"minOccurs", 0},
          {"maxOccurs", 1},
          {"schema", {{"type", "string"}, {"enum", names}, {"default", names.front()}}}};
}

Json resource_schema(const cli::ResourceInput& resource) {
  const Json link{{"type", "object"},
                  {"required", {"href"}},
                  {"properties", {{"href", {{"type", "string"}}}, {"type", {{"type", "string"}}}}}};
  Json id{{"oneOf", {{{"type", "string"}}, link}}};
  if (!resource.several) return id;
  return {{"oneOf", {id, {{"type", "array"}, {"items", id}, {"minItems", 1}}}}};
}

Json all_inputs(const Process& process) {
  Json inputs = Json::object();
  for (const cli::ResourceInput& resource : process.resources)
    inputs[resource.name] = {{"title", resource.name},
                             {"description", resource.help},
                             {"minOccurs", resource.required ? 1 : 0},
                             {"maxOccurs", resource.several ? Json("unbounded") : Json(1)},
                             {"schema", resource_schema(resource)}};
  for (const FieldText& flag : process.flags) inputs[flag.name] = input_description(flag);
  if (!process.formats.empty()) inputs["format"] = format_description(process);
  return inputs;
}

Json all_outputs(const Process& process) {
  Json outputs = Json::object();
  for (const cli::FileOutput& file : process.files) {
    Json schema{{"type", "string"}, {"format", "binary"}};
    if (&file == &process.files.front() && !process.formats.empty())
      schema["contentMediaType"] = process.formats.front().media_type;
    else
      schema["contentMediaType"] = file.media_type;
    outputs[file.name] = {{"title", file.title}, {"schema", schema}};
  }
  if (!process.value.empty())
    outputs[process.value] = {{"title", process.value}, {"schema", {{"type", "object"}}}};
  if (process.command.run)
    outputs[std::string(kReport)] = {{"title", "the summary as text"},
                                     {"schema", {{"type", "string"}}}};
  return outputs;
}

Json component(std::string_view kind, std::string_view name) {
  return {{"$ref", fmt::format("#/components/{}/{}", kind, name)}};
}

/// Returns the media types of all files that a process can write.
std::vector<std::string> output_types(const Process& process) {
  std::set<std::string> types;
  for (const cli::ResultFormat& format : process.formats) types.insert(format.media_type);
  for (const cli::FileOutput& file : process.files)
    if (!file.media_type.empty()) types.insert(file.media_type);
  return {types.begin(), types.end()};
}

std::vector<std::string> all_output_types() {
  std::set<std::string> types;
  for (const Process& process : process_table())
    for (const std::string& type : output_types(process)) types.insert(type);
  return {types.begin(), types.end()};
}

/// Expands the shorthand of a response; see openapi.hpp.
void complete_response(Json& response) {
  if (const auto schema = response.find("json"); schema != response.end()) {
    response["content"]["application/json"]["schema"] =
        component("schemas", schema->get<std::string>());
    response.erase("json");
  }
  if (const auto types = response.find("types"); types != response.end()) {
    std::vector<std::string> names;
    for (const Json& type : *types)
      if (type == "*outputs*")
        std::ranges::copy(all_output_types(), std::back_inserter(names));
      else
        names.push_back(type);
    for (const std::string& name : names)
      if (!response["content"].contains(name))
        response["content"][name]["schema"] = {{"type", "string"}, {"format", "binary"}};
    response.erase("types");
  }
  if (const auto names = response.find("headers"); names != response.end()) {
    Json headers = Json::object();
    for (const std::string name : *names) headers[name] = component("headers", name);
    *names = std::move(headers);
  }
}

/// Describes a flag as a parameter of the query.
Json query_parameter(const FieldText& flag) {
  Json schema = flag_schema(flag);
  if (schema.contains("oneOf")) schema = {{"type", "string"}};
  return {{"name", flag.name}, {"in", "query"}, {"description", flag.help}, {"schema", schema}};
}

/// Collects the parameters of the path, of the table, and of the flags of a process.
Json all_parameters(const std::string& path, const Json& operation) {
  Json all = Json::array();
  for (std::size_t at = path.find('{'); at != path.npos; at = path.find('{', at + 1))
    all.push_back({{"name", path.substr(at + 1, path.find('}', at) - at - 1)},
                   {"in", "path"},
                   {"required", true},
                   {"schema", {{"type", "string"}, {"minLength", 1}}}});
  for (const Json& name : operation.value("parameters", Json::array()))
    all.push_back(component("parameters", name.get<std::string>()));
  if (operation.contains("flags"))
    for (const FieldText& flag : process_named(operation["flags"].get<std::string>()).flags)
      all.push_back(query_parameter(flag));
  return all;
}

/// Expands the shorthand of an operation.
void complete_operation(const std::string& path, Json& operation) {
  for (Json& response : operation["responses"]) complete_response(response);
  const bool is_open = operation.value("open", false);
  std::set<int> problems{400, 413, 431, 500};  // of any request
  for (const Json& status : operation.value("problems", Json::array()))
    problems.insert(status.get<int>());
  Json names = operation.value("parameters", Json::array());
  if (std::ranges::find(names, "If-None-Match") != names.end()) {  // the resource has an ETag
    names.push_back("If-Match");
    problems.insert(412);
  }
  operation["parameters"] = names;
  for (const int status : problems)
    operation["responses"][std::to_string(status)] = component("responses", "problem");
  if (!is_open) operation["responses"]["401"] = component("responses", "unauthorized");
  operation["responses"]["503"] = component("responses", "busy");
  if (operation["responses"].contains("429"))
    operation["responses"]["429"] = component("responses", "busy");
  Json parameters = all_parameters(path, operation);
  for (const char* const key : {"open", "problems", "parameters", "flags"}) operation.erase(key);
  if (!parameters.empty()) operation["parameters"] = std::move(parameters);
  if (is_open) operation["security"] = Json::array();
}

Json execution(const Process& process) {
  Json properties = Json::object(), required = Json::array();
  const Json inputs = all_inputs(process);
  for (const auto& [name, input] : inputs.items()) {
    properties[name] = input["schema"];
    properties[name]["description"] = input["description"];
    if (input["minOccurs"] == 1) required.push_back(name);
  }
  Json schema{{"type", "object"}, {"properties", properties}};
  if (!required.empty()) schema["required"] = required;
  if (process.kind != ProcessKind::echo) schema["additionalProperties"] = false;
  Json outputs{{"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}};
  const Json described = all_outputs(process);
  for (const auto& [name, output] : described.items())
    outputs["properties"][name] = component("schemas", "outputWish");
  Json body{{"type", "object"},
            {"properties",
             {{"inputs", schema},
              {"outputs", outputs},
              {"response", {{"type", "string"}, {"enum", {"raw", "document"}}}}}}};
  if (!required.empty()) body["required"] = {"inputs"};
  Json types = output_types(process);
  types.push_back("multipart/related");
  return {
      {"operationId", "execute_" + process.id},
      {"summary", process.title},
      {"parameters", {"Prefer", "Cache-Control", "Accept-Encoding", "If-None-Match"}},
      {"requestBody",
       {{"required", true}, {"content", {{"application/json", {{"schema", body}}}}}}},
      {"problems", {404, 409, 410, 422, 429, 507}},
      {"responses",
       {{"200",
         {{"description", "a document, the bytes of one output, or of several"},
          {"json", "results"},
          {"types", types},
          {"headers",
           {"ETag", "Skde-Cache", "Skde-Description", "Content-Encoding", "Preference-Applied"}}}},
        {"201",
         {{"description", "status of a new job"},
          {"json", "statusInfo"},
          {"headers", {"Location", "Preference-Applied"}}}},
        {"204",
         {{"description", "the outputs are at the links"},
          {"headers", {"Link", "Skde-Cache", "Preference-Applied"}}}},
        {"304",
         {{"description", "the client's copy of the output is up to date"},
          {"headers", {"ETag", "Skde-Cache"}}}}}}};
}

void add_processes(Json& paths) {
  for (const Process& process : process_table()) {
    if (!process.listed) continue;
    paths["/processes/" + process.id]["get"] = {
        {"operationId", "describe_" + process.id},
        {"summary", "the process with its inputs and outputs"},
        {"responses", {{"200", {{"description", process.title}, {"json", "process"}}}}}};
    paths["/processes/" + process.id + "/execution"]["post"] = execution(process);
  }
}

/// Names each parameter by its key.
Json components_with_names() {
  Json components = io::parse_json(kApiComponents, "the components of the API");
  for (auto& [name, parameter] : components["parameters"].items()) parameter["name"] = name;
  return components;
}

Json make_document() {
  Json paths = io::parse_json(kApiPaths, "the paths of the API");
  add_processes(paths);
  for (auto& [path, item] : paths.items()) {
    for (Json& operation : item) complete_operation(path, operation);
    if (!item.contains("get") || item.contains("head")) continue;
    item["head"] = item["get"];
    item["head"]["operationId"] = item["get"]["operationId"].get<std::string>() + "_head";
    item["head"]["responses"].erase("206");
  }
  return {{"openapi", "3.0.3"},
          {"info",
           {{"title", "skde-serve"},
            {"description", "Exact 3-D kernel density estimation as a service"},
            {"version", kVersion}}},
          {"servers", {{{"url", "/"}}}},
          {"security", {{{"bearer", Json::array()}}}},
          {"paths", paths},
          {"components", components_with_names()}};
}

}  // namespace

Json input_description(const FieldText& flag) {
  Json json{{"title", flag.name},
            {"description", flag.help},
            {"minOccurs", 0},
            {"maxOccurs", 1},
            {"schema", flag_schema(flag)}};
  if (!flag.value.empty()) json["metadata"] = {{{"title", "written as"}, {"role", flag.value}}};
  if (!flag.by_default.empty())
    json["description"] = fmt::format("{} [{}]", flag.help, flag.by_default);
  return json;
}

Json process_summary(const Process& process) {
  const std::string self = "/processes/" + process.id;
  return {{"id", process.id},
          {"title", process.title},
          {"version", kVersion},
          {"jobControlOptions", {"sync-execute", "async-execute", "dismiss"}},
          {"outputTransmission", {"value", "reference"}},
          {"links",
           {{{"href", self}, {"rel", "self"}, {"type", "application/json"}},
            {{"href", self + "/execution"},
             {"rel", "http://www.opengis.net/def/rel/ogc/1.0/execute"},
             {"type", "application/json"}}}}};
}

Json process_description(const Process& process) {
  Json json = process_summary(process);
  json["inputs"] = all_inputs(process);
  json["outputs"] = all_outputs(process);
  return json;
}

const Json& openapi_document() {
  static const Json document = make_document();
  return document;
}

}  // namespace skde::service
