#include "service/jobs/execution_request.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "commands/commands.hpp"
#include "core/report/words.hpp"
#include "io/text/json_object.hpp"
#include "service/answer/http_message.hpp"

namespace skde::service {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestValue = 65536;
constexpr int kDeepest = 32;

[[noreturn]] void refuse(const std::string& problem, const std::string& parameter,
                         const std::string& suggestion = {}) {
  throw Problem(400, "usage", problem, {parameter, suggestion});
}

std::string text_of(const std::string& name, const Json& value) {
  std::string text;
  if (value.is_string()) {
    text = value.get<std::string>();
  } else if (value.is_number()) {
    // Some languages write whole numbers as 10.0.
    constexpr double kExact = 9007199254740992;
    const double number = value.get<double>();
    const bool whole =
        value.is_number_float() && std::abs(number) < kExact && std::trunc(number) == number;
    text = io::json_line(whole ? Json(static_cast<std::int64_t>(number)) : value);
  } else if (value.is_array()) {
    for (const Json& entry : value) {
      if (entry.is_array() || entry.is_object() || entry.is_null() || entry.is_boolean())
        refuse(fmt::format("'{}' must be a list of numbers and strings", name), name);
      if (!text.empty()) text += ',';
      text += text_of(name, entry);
    }
  } else {
    refuse(fmt::format("'{}' must be a string, a number, a boolean or a list", name), name);
  }
  const bool odd = std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  if (odd || text.size() > kLongestValue)
    refuse(fmt::format("the value of '{}' is too long, or has a control character", name), name);
  for (std::size_t at = 0, bytes = 0; at < text.size(); at += bytes) {
    bytes = utf8_length(std::string_view(text).substr(at));
    if (bytes == 0) refuse(fmt::format("the value of '{}' must be UTF-8", name), name);
  }
  return text;
}

/// Unwraps an input that is given as an object {"value": ...}, as OGC API - Processes allows.
const Json& plain_value(const Json& value) {
  if (value.is_object() && value.contains("value") && value.size() <= 4) return value["value"];
  return value;
}

[[noreturn]] void refuse_unknown(const Process& process, const std::string& name) {
  std::vector<std::string_view> names{"format"};
  for (const cli::ResourceInput& resource : process.resources) names.push_back(resource.name);
  for (const FieldText& flag : process.flags) names.push_back(flag.name);
  const std::string_view nearest = nearest_name(name, names);
  refuse(fmt::format("{} has no input '{}'", process.id, name.substr(0, 64)), name.substr(0, 64),
         nearest.empty() ? "" : fmt::format("did you mean `{}`?", nearest));
}

bool take_resource(ExecutionRequest& request, const std::string& name, const Json& value) {
  for (const cli::ResourceInput& resource : request.process->resources) {
    if (resource.name != name) continue;
    const bool several = resource.several && value.is_array() && !value.empty();
    if (!value.is_string() && !several)
      refuse(fmt::format("'{}' must be an ID, a string", name), name);
    request.resources[name] = text_of(name, value);
    return true;
  }
  return false;
}

/// Throws Problem (400) for a value that is not a keyword, if the flag has only keywords or could
/// name a file.
void require_served(const FieldText& flag, const std::string& text) {
  const std::vector<std::string>& words = flag.type.words;
  const bool only_words = flag.names_file || flag.type.only_words;
  if (!only_words || std::ranges::find(words, text) != words.end()) return;
  const std::vector<std::string_view> known(words.begin(), words.end());
  refuse(flag.names_file
             ? fmt::format("'{}' cannot be used here, because services do not open files",
                           text.substr(0, 64))
             : fmt::format("unknown value '{}'", text.substr(0, 64)),
         flag.name, did_you_mean(text, known));
}

bool take_flag(ExecutionRequest& request, const std::string& name, const Json& value) {
  for (const FieldText& flag : request.process->flags) {
    if (flag.name != name) continue;
    if (flag.value.empty()) {
      if (!value.is_boolean()) refuse(fmt::format("'{}' must be true or false", name), name);
      if (value.get<bool>()) request.flags[name] = "";
      return true;
    }
    if (value.is_null()) return true;  // as if it were missing
    const std::string text = text_of(name, value);
    if (text.empty()) refuse(fmt::format("'{}' must not be empty", name), name);
    require_served(flag, text);
    request.flags[name] = text;
    return true;
  }
  return false;
}

std::string format_unless_named(const ExecutionRequest& request) {
  for (const cli::ResourceInput& resource : request.process->resources)
    if (!resource.format.empty() && request.resources.contains(resource.name))
      return resource.format;
  return request.process->formats.front().name;
}

void take_format(ExecutionRequest& request, const std::string& name) {
  const auto& formats = request.process->formats;
  const auto known = [&](const cli::ResultFormat& format) {
    return format.name == name || format.media_type == name;
  };
  const auto found = std::ranges::find_if(formats, known);
  if (found != formats.end()) {
    request.format = found->name;
    return;
  }
  std::vector<std::string_view> names;
  names.reserve(formats.size());
  for (const cli::ResultFormat& format : formats) names.push_back(format.name);
  refuse(fmt::format("'{}' is not a format of {}", name.substr(0, 64), request.process->id),
         "format", did_you_mean(name, names));
}

void take_input(ExecutionRequest& request, const std::string& name, const Json& given) {
  const Json& value = plain_value(given);
  if (request.process->kind == ProcessKind::echo) return;
  if (take_resource(request, name, value) || take_flag(request, name, value)) return;
  if (name != "format" || request.process->formats.empty()) refuse_unknown(*request.process, name);
  if (!value.is_string()) refuse("'format' must be a string", "format");
  take_format(request, value.get<std::string>());
}

/// Returns the names of all outputs, or of those sent by default.
std::vector<std::string> output_names(const Process& process, bool all) {
  std::vector<std::string> names;
  for (const cli::FileOutput& file : process.files)
    if (all || !file.optional) names.push_back(file.name);
  if (!process.value.empty()) names.push_back(process.value);
  if (all && process.command.run) names.emplace_back(kReport);
  return names;
}

/// Heeds the media type that an output should have. Throws Problem (400) if it cannot have it.
void take_type(ExecutionRequest& request, const std::string& name, const std::string& type) {
  const Process& process = *request.process;
  const auto file = std::ranges::find(process.files, name, &cli::FileOutput::name);
  if (file == process.files.begin() && file != process.files.end() && !process.formats.empty())
    return take_format(request, type);
  const std::string own = file == process.files.end() ? "application/json" : file->media_type;
  if (type != own)
    refuse(fmt::format("'{}' has the type {}, not '{}'", name, own, type.substr(0, 64)), "outputs");
}

void take_output(ExecutionRequest& request, const std::string& name, const Json& wish) {
  const std::vector<std::string> names = output_names(*request.process, true);
  if (std::ranges::find(names, name) == names.end()) {
    const std::vector<std::string_view> known(names.begin(), names.end());
    refuse(fmt::format("{} has no output '{}'", request.process->id, name.substr(0, 64)), "outputs",
           did_you_mean(name, known));
  }
  WantedOutput output{name};
  if (!wish.is_object()) refuse(fmt::format("the output '{}' must be an object", name), "outputs");
  if (const auto mode = wish.find("transmissionMode"); mode != wish.end()) {
    if (*mode != "value" && *mode != "reference")
      refuse("'transmissionMode' must be value or reference", "outputs");
    output.by_reference = *mode == "reference";
  }
  if (const auto format = wish.find("format"); format != wish.end()) {
    const auto type = format->is_object() ? format->find("mediaType") : format->end();
    if (type == format->end() || !type->is_string())
      refuse(fmt::format("the format of '{}' must be an object with a 'mediaType'", name),
             "outputs");
    take_type(request, name, lower_case(type->get<std::string>()));
  }
  request.outputs.push_back(std::move(output));
}

void complete(ExecutionRequest& request) {
  for (const cli::ResourceInput& resource : request.process->resources)
    if (resource.required && !request.resources.contains(resource.name))
      refuse(fmt::format("'{}' is missing: {}", resource.name, resource.help), resource.name,
             fmt::format("give `{}`", resource.name));
  const auto& formats = request.process->formats;
  if (!formats.empty()) {
    const cli::FileOutput& first = request.process->files.front();
    // Naming the format of an optional file also asks for that file.
    if (request.outputs.empty() && first.optional && !request.format.empty())
      request.outputs = {{first.name}, {request.process->value}};
    if (first.optional && !request.wants(first.name))
      request.format.clear();
    else if (request.format.empty())
      request.format = format_unless_named(request);
  }
  if (request.outputs.empty())
    for (const std::string& name : output_names(*request.process, false))
      if (name != "description" || request.format == "npy") request.outputs.push_back({name});
}

Process echo_process() {
  Process echo;
  echo.id = "echo";
  echo.title = "returns its inputs, to test a client";
  echo.kind = ProcessKind::echo;
  echo.value = "echo";
  return echo;
}

/// The process behind GET /clouds/ID/points.
Process points_process() {
  Process points;
  points.id = "points";
  points.title = "a subset of the samples of a cloud";
  points.listed = false;
  points.kind = ProcessKind::points;
  points.resources = {{"cloud", cli::ResourceKind::cloud, true, false, "", "ID of a cloud"}};
  points.value.clear();
  points.formats = cli::formats_named({"npy"});
  points.files = {{"points", "x, y, z and weight of the samples", ""}};
  // The columns are chosen by the flags of info.
  for (const FieldText& flag : cli::input_flags(cli::kInfo))
    if (flag.name != "kernel") points.flags.push_back(flag);
  points.flags.push_back({"limit", "N", "largest number of samples"});
  return points;
}

std::vector<Process> make_processes() {
  std::vector<Process> all;
  for (const cli::ServedCommand& command : cli::served_commands()) all.push_back({command});
  all.push_back(echo_process());
  all.push_back(points_process());
  return all;
}

}  // namespace

bool ExecutionRequest::wants(std::string_view output) const {
  return std::ranges::find(outputs, output, &WantedOutput::name) != outputs.end();
}

Json parse_json(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '{' || c == '[')) {
      if (++depth > kDeepest) throw Problem(400, "request", "the JSON must be nested less deeply");
    } else if (!quoted && (c == '}' || c == ']')) {
      --depth;
    }
  }
  Json json = io::json_if_valid(text);
  if (json.is_discarded()) throw Problem(400, "request", "the body must be JSON");
  return json;
}

ExecutionRequest read_answer_form(const Process& process, const Json& json) {
  if (!json.is_object()) throw Problem(400, "request", "the body must be a JSON object");
  ExecutionRequest request;
  request.process = &process;
  if (const auto outputs = json.find("outputs"); outputs != json.end()) {
    if (!outputs->is_object()) refuse("'outputs' must be a JSON object", "outputs");
    for (const auto& [name, wish] : outputs->items()) take_output(request, name, wish);
  }
  if (const auto response = json.find("response"); response != json.end()) {
    if (*response != "raw" && *response != "document")
      refuse("'response' must be raw or document", "response");
    if (*response == "document") request.response = ResponseForm::document;
  }
  return request;
}

ExecutionRequest read_execution(const Process& process, const Json& json) {
  ExecutionRequest request = read_answer_form(process, json);
  const std::string wished = request.format;
  const auto inputs = json.find("inputs");
  const Json none = Json::object(), &given = inputs == json.end() ? none : *inputs;
  if (!given.is_object())
    throw Problem(400, "request", "'inputs' must be a JSON object", {"inputs", {}});
  for (const auto& [name, value] : given.items()) take_input(request, name, value);
  request.inputs = io::exact_json_line(given);
  if (!wished.empty()) request.format = wished;
  complete(request);
  return request;
}

ExecutionRequest read_query(const Process& process, std::string_view cloud,
                            const std::map<std::string, std::string, std::less<>>& query) {
  ExecutionRequest request;
  request.process = &process;
  request.inputs = "{}";
  request.resources["cloud"] = cloud;
  for (const auto& [name, value] : query) {
    const auto flag = std::ranges::find(process.flags, name, &FieldText::name);
    if (flag == process.flags.end()) refuse_unknown(process, name);
    const bool is_switch = flag->value.empty() && (value == "true" || value == "false");
    take_flag(request, name, is_switch ? Json(value == "true") : Json(value));
  }
  complete(request);
  return request;
}

std::string execution_text(const ExecutionRequest& request) {
  Json json{{"outputs", Json::object()},
            {"response", request.response == ResponseForm::document ? "document" : "raw"}};
  for (const auto& [name, by_reference] : request.outputs) {
    json["outputs"][name] = Json::object();
    if (by_reference)
      json["outputs"][name]["transmissionMode"] = *by_reference ? "reference" : "value";
  }
  std::string inputs = request.inputs.empty() ? "{}" : request.inputs;
  if (!request.format.empty() && !request.inputs.empty()) {
    Json parsed = io::json_if_valid(inputs);
    if (!parsed.contains("format")) parsed["format"] = request.format;
    inputs = io::exact_json_line(parsed);
  }
  return fmt::format("{{\"inputs\":{},{}", inputs, io::json_line(json).substr(1));
}

std::span<const Process> process_table() {
  static const std::vector<Process> all = make_processes();
  return all;
}

const Process& process_named(std::string_view id) {
  for (const Process& process : process_table())
    if (process.id == id) return process;
  throw not_found("process", id);
}

}  // namespace skde::service
