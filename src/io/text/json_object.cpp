#include "io/text/json_object.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/report/error.hpp"
#include "io/text/text_file.hpp"

namespace skde::io {
namespace {

constexpr int kMostNested = 64;

/// Throws Error(input) if arrays and objects are nested deeper than any that skde writes: code that
/// walks them recursively would overflow the stack.
void require_shallow(std::string_view text, const std::string& file) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (c == '\\' && quoted) ++i;
    if (quoted) continue;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > kMostNested)
      throw Error(ErrorKind::input, fmt::format("{}: is JSON nested more than {} deep, at byte {}",
                                                file, kMostNested, i + 1));
  }
}

}  // namespace

nlohmann::ordered_json parse_json(std::string_view text, const std::string& file) {
  require_shallow(text, file);
  try {
    return nlohmann::ordered_json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    throw Error(ErrorKind::input,
                fmt::format("{}: is not valid JSON at byte {}", file, error.byte));
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorKind::input, fmt::format("{}: has a number beyond the range of double", file));
  }
}

nlohmann::ordered_json json_if_valid(std::string_view text) {
  return nlohmann::ordered_json::parse(text, nullptr, false);
}

nlohmann::ordered_json read_json(const std::string& path) {
  return parse_json(read_text(path), path);
}

std::string json_text(const nlohmann::ordered_json& value, int indentation) {
  return value.dump(indentation, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string json_line(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string ascii_json_line(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string exact_json_line(const nlohmann::ordered_json& value) { return value.dump(); }

void write_json(const std::string& path, const nlohmann::ordered_json& value) {
  write_text(path, json_text(value));
}

JsonObject::JsonObject(const Json& value, std::string file, std::string key)
    : value_(value), file_(std::move(file)), key_(std::move(key)) {
  if (value_.is_object()) return;
  throw Error(ErrorKind::input, key_.empty()
                                    ? fmt::format("{}: must be a JSON object", file_)
                                    : fmt::format("{}: '{}' must be an object", file_, key_));
}

void JsonObject::require(std::initializer_list<std::string_view> keys) const {
  for (const std::string_view key : keys)
    if (!has(key)) fail(key, "is missing");
}

const JsonObject::Json* JsonObject::find(std::string_view key) {
  known_.emplace(key);
  const auto found = value_.find(key);
  return found == value_.end() ? nullptr : &*found;
}

void JsonObject::read(std::string_view key, bool& field) {
  const Json* value = find(key);
  if (!value) return;
  if (!value->is_boolean()) fail(key, "must be true or false");
  field = value->get<bool>();
}

void JsonObject::read(std::string_view key, std::string& field) {
  const Json* value = find(key);
  if (!value) return;
  if (!value->is_string()) fail(key, "must be a string");
  field = value->get<std::string>();
}

void JsonObject::read(std::string_view key, std::vector<std::string>& field) {
  const Json* value = find(key);
  if (!value) return;
  if (!value->is_array()) fail(key, "must be an array of strings");
  std::vector<std::string> texts;
  for (const Json& text : *value) {
    if (!text.is_string()) fail(key, "must be an array of strings");
    texts.push_back(text.get<std::string>());
  }
  field = std::move(texts);
}

void JsonObject::read(std::string_view key, double& field, double least, double most) {
  const Json* value = find(key);
  if (!value) return;
  const double number = numbers(*value, key, 1)[0];
  if (number < least || number > most)
    fail(key, most == std::numeric_limits<double>::max()
                  ? fmt::format("must be a number of at least {:g}", least)
                  : fmt::format("must be a number from {:g} to {:g}", least, most));
  field = number;
}

void JsonObject::read(std::string_view key, std::vector<double>& field, double least) {
  const Json* value = find(key);
  if (!value) return;
  if (!value->is_array()) fail(key, "must be an array of numbers");
  std::vector<double> all;
  for (const Json& number : *value) all.push_back(numbers(number, key, 1)[0]);
  if (std::ranges::any_of(all, [&](double number) { return number < least; }))
    fail(key, fmt::format("must be numbers of at least {:g}", least));
  field = std::move(all);
}

std::vector<double> JsonObject::numbers(const Json& value, std::string_view key,
                                        std::size_t count) const {
  const auto refuse = [&] {
    fail(key,
         count == 1 ? "must be a number" : fmt::format("must be an array of {} numbers", count));
  };
  const auto finite = [&](const Json& number) {
    if (!number.is_number() || !std::isfinite(number.get<double>())) refuse();
    return number.get<double>();
  };
  if (count == 1 && !value.is_array()) return {finite(value)};
  if (!value.is_array() || value.size() != count) refuse();
  std::vector<double> all;
  for (const Json& number : value) all.push_back(finite(number));
  return all;
}

std::int64_t JsonObject::whole(const Json& value, std::string_view key, std::int64_t least,
                               std::int64_t most) const {
  const bool in_range = value.is_number_integer() &&
                        (!value.is_number_unsigned() ||
                         value.get<std::uint64_t>() <= std::numeric_limits<std::int64_t>::max()) &&
                        value.get<std::int64_t>() >= least && value.get<std::int64_t>() <= most;
  if (!in_range) fail(key, fmt::format("must be an integer from {} to {}", least, most));
  return value.get<std::int64_t>();
}

JsonObject JsonObject::object(const Json& value, std::string_view key) const {
  return {value, file_, path_of(key)};
}

void JsonObject::fail(std::string_view key, std::string_view why) const {
  throw Error(ErrorKind::input, fmt::format("{}: '{}' {}", file_, path_of(key), why));
}

void JsonObject::fail_word(const Json& value, std::string_view key,
                           std::span<const std::string_view> names) const {
  const std::string given = value.is_string() ? value.get<std::string>() : value.type_name();
  fail(key, fmt::format("cannot be '{}'; {}", given, did_you_mean(given, names)));
}

void JsonObject::finish() const {
  const std::vector<std::string_view> names(known_.begin(), known_.end());
  for (const auto& [key, value] : value_.items())
    if (!known_.contains(key))
      fail(key, fmt::format("is not a known key; {}", did_you_mean(key, names)));
}

std::string JsonObject::path_of(std::string_view key) const {
  return key_.empty() ? std::string(key) : fmt::format("{}.{}", key_, key);
}

}  // namespace skde::io
