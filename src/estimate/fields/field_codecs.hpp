#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/report/error.hpp"
#include "core/report/value_parsers.hpp"
#include "core/report/words.hpp"
#include "core/space/space.hpp"
#include "estimate/fields/density_fields.hpp"
#include "io/text/json_geometry.hpp"

namespace skde {

// Codecs define how field values are written. Each has parse(), for text that is not empty, and
// print(). Numbers are printed with enough digits to restore them.

inline std::string field_text(const std::string& text) { return text; }
inline std::string field_text(std::integral auto number) { return fmt::format("{}", number); }
inline std::string field_text(double number) { return fmt::format("{}", number); }
inline std::string field_text(Vec3 v) { return fmt::format("{},{},{}", v.x, v.y, v.z); }
inline std::string field_text(const Symmetric3& s) {
  return fmt::format("{},{},{},{},{},{}", s.xx, s.xy, s.xz, s.yy, s.yz, s.zz);
}
inline std::string field_text(const Box& box) {
  return field_text(box.lower) + ':' + field_text(box.upper);
}
inline std::string field_text(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ","));
}
template <class Value>
std::string field_text(const std::optional<Value>& value) {
  return value ? field_text(*value) : std::string();
}

/// A codec that parses with a function or a parser, and prints by the value's type.
template <class Parse>
struct PlainCodec {
  Parse parse;
  std::string print(const auto& value) const { return field_text(value); }
};
template <class Parse>
PlainCodec(Parse) -> PlainCodec<Parse>;

/// A codec for one of a few words.
template <class Words>
struct WordCodec {
  const Words& words;
  OneOf<typename Words::value_type::second_type> parse{words};
  std::string print(auto value) const { return std::string(word_of(words, value)); }
};
template <class Words>
WordCodec(const Words&) -> WordCodec<Words>;

/// A codec that parses and prints with two functions.
template <class Parse, class Print>
struct FunctionCodec {
  Parse parse;
  Print print;
};
template <class Parse, class Print>
FunctionCodec(Parse, Print) -> FunctionCodec<Parse, Print>;

/// A codec for a switch, which is off by default.
struct SwitchCodec {
  bool parse(const std::string& given) const {
    if (given != "true" && given != "false")
      throw Error(ErrorKind::usage, fmt::format("must be true or false; got '{}'", given));
    return given == "true";
  }
  std::string print(bool on) const { return on ? "true" : ""; }
};

/// Returns text that holds numbers as JSON numbers: "2", "1,2,3", "0,0,0:1,1,1"; other text as is.
nlohmann::ordered_json json_of_numbers(const std::string& text);
/// Returns a JSON value as a user would write it. Calls object.fail() unless it is a text, number
/// or list.
std::string text_of_json(const io::JsonObject& object, const nlohmann::ordered_json& value,
                         std::string_view key);

template <class Value>
concept TextValue = std::is_enum_v<Value> || std::same_as<Value, std::string> ||
    std::same_as<Value, KernelFunction> || std::same_as<Value, Boundaries>;

template <class Value>
nlohmann::ordered_json json_value(const Value& value, const auto& codec) {
  if constexpr (std::same_as<Value, bool> || std::same_as<Value, std::vector<std::string>>)
    return value;
  else if constexpr (TextValue<Value>)
    return codec.print(value);
  else if constexpr (requires { value.has_value(); })
    return value ? json_of_numbers(codec.print(value)) : nlohmann::ordered_json(nullptr);
  else
    return json_of_numbers(codec.print(value));
}

/// Returns the row of a field that is one member, which `access` finds; title and targets are
/// unset.
template <class Access, class Codec>
DensityField member_field(FieldText text, Access access, Codec codec) {
  const DensityOptions standard;
  const auto by_default = access(standard);
  using Value = std::remove_const_t<decltype(by_default)>;
  if constexpr (requires { codec.parse.type(); }) text.type = codec.parse.type();
  DensityField field;
  field.key = text.name;
  std::ranges::replace(field.key, '-', '_');
  field.text = std::move(text);
  field.set = [=](DensityOptions& options, const std::string& given) {
    access(options) = given.empty() ? by_default : Value(codec.parse(given));
  };
  field.print = [=](const DensityOptions& options) {
    const Value& value = access(options);
    return value == by_default ? std::string() : codec.print(value);
  };
  field.put = [=](const DensityOptions& options) { return json_value(access(options), codec); };
  field.read = [=, key = field.key](DensityOptions& options, io::JsonObject& object,
                                    const nlohmann::ordered_json& value) {
    if (value.is_null() || value == json_value(by_default, codec))
      access(options) = by_default;
    else if constexpr (std::same_as<Value, std::vector<std::string>>)
      object.read(key, access(options));
    else
      access(options) = Value(codec.parse(text_of_json(object, value, key)));
  };
  return field;
}

// Each function adds one group of rows to the table.

void add_sample_fields(std::vector<DensityField>& table);
void add_kernel_fields(std::vector<DensityField>& table);
void add_grid_fields(std::vector<DensityField>& table);
void add_computation_fields(std::vector<DensityField>& table);
void add_value_fields(std::vector<DensityField>& table);

}  // namespace skde
