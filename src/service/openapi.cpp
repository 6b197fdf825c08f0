#include "service/openapi.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/version.hpp"

namespace skde::service {
namespace {

using Json = nlohmann::ordered_json;

Json flag_schema(const cli::FlagText& flag) {
  if (flag.value.empty()) return {{"type", "boolean"}, {"default", false}};
  std::vector<std::string> words = cli::words_besides_files(flag);
  const bool plain =
      flag.value.find('|') != flag.value.npos &&
      std::ranges::none_of(flag.value, [](unsigned char c) { return c >= 'A' && c <= 'Z'; });
  if (words.empty() && plain)
    for (std::size_t begin = 0; begin <= flag.value.size();) {
      const std::size_t end = std::min(flag.value.find('|', begin), flag.value.size());
      words.push_back(flag.value.substr(begin, end - begin));
      begin = end + 1;
    }
  if (!words.empty()) return {{"type", "string"}, {"enum", words}};
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
  Json id{{"type", "string"}};
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
  for (const cli::FlagText& flag : process.flags) inputs[flag.name] = input_description(flag);
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
  return outputs;
}

Json response_of(const char* description) {
  return {{"description", description},
          {"content", {{"application/json", {{"schema", {{"type", "object"}}}}}}}};
}

Json operation(const std::string& id, const char* summary, const char* status = "200") {
  Json problem{
      {"description", "what is wrong (RFC 9457)"},
      {"content",
       {{"application/problem+json", {{"schema", {{"$ref", "#/components/schemas/problem"}}}}}}}};
  Json responses = Json::object();
  responses[status] = response_of(summary);
  responses["default"] = problem;
  return {{"operationId", id}, {"summary", summary}, {"responses", responses}};
}

Json path_parameter(const char* name) {
  return {{"name", name}, {"in", "path"}, {"required", true}, {"schema", {{"type", "string"}}}};
}

Json with_parameters(Json operation, std::initializer_list<const char*> names) {
  operation["parameters"] = Json::array();
  for (const char* name : names) operation["parameters"].push_back(path_parameter(name));
  return operation;
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
  Json body{{"type", "object"},
            {"properties",
             {{"inputs", schema},
              {"outputs", {{"type", "object"}}},
              {"response", {{"type", "string"}, {"enum", {"raw", "document"}}}}}}};
  Json post = operation("execute_" + process.id, "the results");
  post["requestBody"] = {{"required", true},
                         {"content", {{"application/json", {{"schema", body}}}}}};
  post["responses"]["201"] = response_of("the status of a job, whose address is in Location");
  return {{"post", post}};
}

void add_job_paths(Json& paths) {
  paths["/jobs"]["get"] = operation("jobs", "all jobs");
  paths["/jobs/{job}"]["get"] =
      with_parameters(operation("status", "the status of a job"), {"job"});
  paths["/jobs/{job}"]["delete"] =
      with_parameters(operation("dismiss", "the status of the job that was stopped"), {"job"});
  paths["/jobs/{job}/results"]["get"] =
      with_parameters(operation("results", "the results of a job"), {"job"});
  paths["/jobs/{job}/results/{output}"]["get"] =
      with_parameters(operation("output", "an output of a job"), {"job", "output"});
  paths["/jobs/{job}/events"]["get"] =
      with_parameters(operation("events", "server-sent events"), {"job"});
}

void add_cloud_paths(Json& paths) {
  paths["/clouds"]["get"] = operation("clouds", "all clouds");
  paths["/clouds"]["post"] = operation("add_cloud", "the new cloud", "201");
  paths["/clouds/{cloud}"]["get"] = with_parameters(operation("cloud", "a cloud"), {"cloud"});
  paths["/clouds/{cloud}"]["delete"] =
      with_parameters(operation("remove_cloud", "nothing", "204"), {"cloud"});
  paths["/clouds/{cloud}/points"]["get"] =
      with_parameters(operation("points", "some samples"), {"cloud"});
  paths["/clouds/{cloud}/content"]["get"] =
      with_parameters(operation("content", "the file"), {"cloud"});
}

Json make_document() {
  Json paths = Json::object();
  paths["/"]["get"] = operation("landing", "the landing page");
  paths["/conformance"]["get"] = operation("conformance", "the classes that it conforms to");
  paths["/api"]["get"] = operation("api", "this document");
  paths["/processes"]["get"] = operation("processes", "all processes");
  for (const Process& process : process_table()) {
    if (!process.listed) continue;
    paths["/processes/" + process.id]["get"] =
        operation("describe_" + process.id, "the process with its inputs and outputs");
    paths["/processes/" + process.id + "/execution"] = execution(process);
  }
  add_job_paths(paths);
  add_cloud_paths(paths);
  Json problem{{"type", "object"},
               {"required", {"type", "title", "status"}},
               {"properties", Json::object()}};
  for (const char* name : {"type", "title", "detail", "kind", "parameter", "suggestion"})
    problem["properties"][name] = {{"type", "string"}, {"nullable", true}};
  problem["properties"]["status"] = {{"type", "integer"}};
  return {{"openapi", "3.0.3"},
          {"info",
           {{"title", "skde-serve"},
            {"description", "Exact 3-D kernel density estimation as a service"},
            {"version", kVersion}}},
          {"servers", {{{"url", "/"}}}},
          {"security", {{{"bearer", Json::array()}}}},
          {"paths", paths},
          {"components",
           {{"schemas", {{"problem", problem}}},
            {"securitySchemes", {{"bearer", {{"type", "http"}, {"scheme", "bearer"}}}}}}}};
}

}  // namespace

Json input_description(const cli::FlagText& flag) {
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
