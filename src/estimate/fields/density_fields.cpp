#include "estimate/fields/density_fields.hpp"

#include <charconv>
#include <stdexcept>

#include "core/report/error.hpp"
#include "estimate/fields/field_codecs.hpp"

namespace skde {
namespace {

std::vector<DensityField> make_table() {
  std::vector<DensityField> table;
  add_sample_fields(table);
  add_kernel_fields(table);
  add_grid_fields(table);
  add_computation_fields(table);
  add_value_fields(table);
  return table;
}

using Json = nlohmann::ordered_json;

/// Returns the numbers between commas, or null if one of them is not a number.
Json numbers_of(std::string_view text) {
  Json list = Json::array();
  while (true) {
    const std::size_t end = std::min(text.find(','), text.size());
    std::int64_t whole = 0;
    double real = 0;
    const char* const last = text.data() + end;
    if (std::from_chars(text.data(), last, whole).ptr == last && end > 0)
      list.push_back(whole);
    else if (std::from_chars(text.data(), last, real).ptr == last && end > 0)
      list.push_back(real);
    else
      return nullptr;
    if (end == text.size()) return list;
    text.remove_prefix(end + 1);
  }
}

/// Fields of the same name in different commands share one key, which the field of a density on a
/// grid provides.
bool is_in_json(const DensityField& field) {
  return !field.key.empty() && (field.targets == 0 || (field.targets & target::kGrid) != 0);
}

}  // namespace

std::span<const DensityField> density_fields() {
  static const std::vector<DensityField> table = make_table();
  return table;
}

const DensityField& density_field(std::string_view name) {
  for (const DensityField& field : density_fields())
    if (field.text.name == name && (field.targets & target::kGrid) != 0) return field;
  throw std::logic_error("a density has no field '" + std::string(name) + "'");
}

Json json_of_numbers(const std::string& text) {
  const std::size_t colon = text.find(':');
  Json first = numbers_of(std::string_view(text).substr(0, colon));
  if (colon != text.npos) {
    Json second = numbers_of(std::string_view(text).substr(colon + 1));
    if (first.is_null() || second.is_null()) return text;
    return Json::array({std::move(first), std::move(second)});
  }
  if (first.is_null()) return text;
  return first.size() == 1 ? first[0] : first;
}

std::string text_of_json(const io::JsonObject& object, const Json& value, std::string_view key) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return io::json_line(value);
  if (!value.is_array()) object.fail(key, "must be a string, a number or a list of them");
  std::string text;
  for (const Json& entry : value) {
    if (!text.empty()) text += entry.is_array() ? ':' : ',';
    text += text_of_json(object, entry, key);
  }
  return text;
}

void put_options(Json& json, const DensityOptions& options) {
  for (const DensityField& field : density_fields())
    if (is_in_json(field)) json[field.key] = field.put(options);
}

void read_options(io::JsonObject& object, DensityOptions& options) {
  for (const DensityField& field : density_fields()) {
    if (!is_in_json(field)) continue;
    const Json* const value = object.find(field.key);
    if (!value) continue;
    try {
      field.read(options, object, *value);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage) throw;
      object.fail(field.key, "is invalid: " + error.problem());
    }
  }
}

}  // namespace skde
