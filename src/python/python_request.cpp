#include "python/python_request.hpp"

#include <fmt/core.h>

#include "core/report/error.hpp"
#include "core/report/words.hpp"
#include "estimate/fields/field_codecs.hpp"
#include "io/text/json_object.hpp"
#include "python/python_call.hpp"

namespace skde::python {
namespace {

using Json = nlohmann::ordered_json;

std::string keyword_of(const DensityField& field) {
  std::string name = field.text.name;
  std::ranges::replace(name, '-', '_');
  return name;
}

/// Keywords that open samples go to the session, which knows their files and its memory; what is
/// computed of them takes the rest.
struct Keyword {
  std::string name;
  const DensityField* field;
  bool opens = field->group == "Samples" || name == "memory_limit";
  bool is_of_search = name == "bandwidth" || name == "threads";
};

const std::vector<Keyword>& all_keywords() {
  static const std::vector<Keyword> keywords = [] {
    std::vector<Keyword> list;
    for (const DensityField& field : density_fields()) list.push_back({keyword_of(field), &field});
    return list;
  }();
  return keywords;
}

/// Returns whether the keyword applies to the target.
bool applies(const Keyword& keyword, unsigned target) {
  if (target == target::kAll) return keyword.field->targets != 0;
  if (target == target::kCloud) return keyword.opens && keyword.field->targets != 0;
  return !keyword.opens && ((keyword.field->targets & target) != 0 ||
                            (target == target::kSearch && keyword.is_of_search));
}

constexpr std::pair<const char*, unsigned> kUses[] = {
    {"cloud", target::kCloud},   {"grid", target::kGrid},   {"errors", target::kErrors},
    {"points", target::kPoints}, {"means", target::kMeans}, {"search", target::kSearch}};

const char* words_for(unsigned target) {
  switch (target) {
    case target::kCloud:
      return "opening samples";
    case target::kPoints:
      return "values at points";
    case target::kMeans:
      return "a regression";
    case target::kSearch:
      return "the choice of a bandwidth";
    default:
      return "a density on a grid";
  }
}

[[noreturn]] void throw_unknown(const std::string& keyword, unsigned target) {
  std::vector<std::string_view> names;
  for (const Keyword& known : all_keywords()) {
    if (applies(known, target)) names.push_back(known.name);
    if (known.name != keyword || known.field->targets == 0) continue;
    throw py::type_error(fmt::format("'{}' has no effect on {}", keyword, words_for(target)));
  }
  const std::string_view nearest = nearest_name(keyword, names);
  throw py::type_error(
      fmt::format("unknown keyword '{}'{}", keyword,
                  nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
}

const DensityField& field_named(const std::string& keyword, unsigned target) {
  for (const Keyword& known : all_keywords())
    if (known.name == keyword && applies(known, target)) return *known.field;
  throw_unknown(keyword, target);
}

/// Returns the names of columns, given as "x,y,z" or as a list of names and numbers.
Json column_names(const DensityField& field, const Json& value) {
  if (value.is_string()) {
    DensityOptions options;
    field.set(options, value.get<std::string>());
    return field.put(options);
  }
  if (!value.is_array()) return value;
  Json list = Json::array();
  for (const Json& name : value)
    list.push_back(name.is_number_integer() ? Json(name.dump()) : name);
  return list;
}

const DensityField* matrix_field() {
  return std::ranges::find(all_keywords(), "covariance_matrix", &Keyword::name)->field;
}

/// Returns a matrix of 3 rows, as a bandwidth may be, as its 9 numbers. Other values stay.
Json flat(const Json& value) {
  if (!value.is_array() || value.empty() || !value[0].is_array()) return value;
  Json list = Json::array();
  for (const Json& row : value)
    for (const Json& number : row) list.push_back(number);
  return list;
}

void read_field(DensityOptions& options, const std::string& keyword, unsigned target, Json value) {
  if (keyword == "bandwidth") value = flat(value);
  const bool is_matrix = keyword == "covariance" && value.is_array();
  const DensityField& named = field_named(keyword, target);
  const DensityField& field = is_matrix ? *matrix_field() : named;
  if (keyword == "columns" || keyword == "widths") value = column_names(field, value);
  if (keyword == "bounds" && value.is_array() && value.size() == 6)
    value = Json::array({{value[0], value[1], value[2]}, {value[3], value[4], value[5]}});
  // For a switch with an optional value, true means its value when bare.
  if (value.is_boolean() && !field.text.bare.empty())
    value = value.get<bool>() ? field.text.bare : std::string();
  if (is_matrix) value = flat(value);
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

/// Returns the value of a keyword as JSON.
Json value_of(const std::string& keyword, const py::handle& value) {
  try {
    return json_from(value);
  } catch (const py::type_error& error) {
    throw py::type_error(fmt::format("{}: {}", keyword, error.what()));
  }
}

}  // namespace

DensityOptions options_from(const py::dict& keywords, unsigned target) {
  DensityOptions options;
  if (target == target::kPoints) options.request.precision = Precision::f64;
  for (const auto& [key, value] : keywords) {
    const std::string keyword = py::str(key).cast<std::string>();
    if (value.is_none()) {  // the default
      static_cast<void>(field_named(keyword, target));
      continue;
    }
    // If no engine is named, these keywords choose the device.
    if (keyword == "threads") options.request.device = Device::cpu;
    if (keyword == "device" || keyword == "device_memory") options.request.device = Device::cuda;
    try {
      read_field(options, keyword, target, value_of(keyword, value));
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
    py::list uses;
    for (const auto& [name, target] : kUses)
      if (applies({keyword_of(field), &field}, target)) uses.append(name);
    row["uses"] = uses;
    rows.append(row);
  }
  return rows;
}

}  // namespace skde::python
