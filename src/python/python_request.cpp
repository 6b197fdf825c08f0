#include "python/python_request.hpp"

#include <fmt/core.h>

#include "core/report/error.hpp"
#include "core/report/nearest_name.hpp"
#include "estimate/fields/field_codecs.hpp"
#include "io/json_object.hpp"
#include "python/python_call.hpp"
#include "python/python_values.hpp"

namespace skde::python {
namespace {

using Json = nlohmann::ordered_json;

std::string keyword_of(const DensityField& field) {
  std::string name = field.text.name;
  std::ranges::replace(name, '-', '_');
  return name;
}

const DensityField& field_named(const std::string& keyword) {
  std::vector<std::string> names;
  for (const DensityField& field : density_fields()) {
    if (keyword_of(field) == keyword) return field;
    names.push_back(keyword_of(field));
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view nearest = nearest_name(keyword, views);
  throw py::type_error(
      fmt::format("unknown keyword '{}'{}", keyword,
                  nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
}

/// A matrix of 3 rows as its 9 numbers, which a bandwidth may be.
Json flat(const Json& value) {
  if (!value.is_array() || value.empty() || !value[0].is_array()) return value;
  Json list = Json::array();
  for (const Json& row : value)
    for (const Json& number : row) list.push_back(number);
  return list;
}

void read_field(DensityOptions& options, const std::string& keyword, Json value) {
  if (keyword == "bandwidth") value = flat(value);
  const bool is_matrix = keyword == "covariance" && value.is_array();
  const DensityField& field = field_named(is_matrix ? "covariance_matrix" : keyword);
  if (is_matrix) {
    value = flat(value);
    if (value.size() == 9)
      value = Json::array({value[0], value[1], value[2], value[4], value[5], value[8]});
  }
  if (field.key.empty()) {
    const Json holder = Json::object();
    const io::JsonObject object(holder, "request");
    field.set(options, value.is_null() ? "" : text_of_json(object, value, keyword));
    return;
  }
  const Json holder{{field.key, value}};
  io::JsonObject object(holder, "request");
  field.read(options, object, holder[field.key]);
}

}  // namespace

DensityOptions options_from(const py::dict& keywords) {
  DensityOptions options;
  for (const auto& [key, value] : keywords) {
    const std::string keyword = py::str(key).cast<std::string>();
    try {
      read_field(options, keyword, json_from(value));
    } catch (const Error& error) {
      std::string problem = error.problem();
      if (constexpr std::string_view own = "request: "; problem.starts_with(own))
        problem.erase(0, own.size());
      throw Error(ErrorKind::usage, fmt::format("{}: {}", keyword, problem),
                  {keyword, error.suggestion()});
    }
  }
  return options;
}

py::list field_rows() {
  py::list rows;
  for (const DensityField& field : density_fields()) {
    py::dict row;
    row["name"] = keyword_of(field);
    row["help"] = suggestion_for_python(field.text.help);
    row["default"] = suggestion_for_python(field.text.by_default);
    row["value"] = field.text.value;
    row["words"] = py::cast(field.text.words);
    row["group"] = std::string(field.group);
    row["targets"] = field.targets;
    rows.append(row);
  }
  return rows;
}

}  // namespace skde::python
