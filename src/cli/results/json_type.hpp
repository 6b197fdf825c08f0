#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "cli/results/any_table.hpp"
#include "core/report/value_parsers.hpp"
#include "core/report/words.hpp"

namespace skde::cli {

/// How documents write a type: the JSON of a value, and its schema; and how a value is read from
/// JSON. Types without a specialisation are objects, with the fields of their table.
template <class T>
struct JsonType {
  static nlohmann::ordered_json value(const T& value) {
    return object_json(result_table<T>().fields, &value);
  }
  static void read(const nlohmann::ordered_json& json, T& value) {
    read_object(result_table<T>().fields, json, &value);
  }
  static nlohmann::ordered_json schema(nlohmann::ordered_json& types) {
    return object_schema(result_table<T>(), types);
  }
};

/// A value that is left out if it is missing, instead of being null.
template <class T>
struct LeftOut {
  std::optional<T> value;
};
template <class T>
LeftOut(std::optional<T>) -> LeftOut<T>;
template <class T>
inline constexpr bool kIsLeftOut = false;
template <class T>
inline constexpr bool kIsLeftOut<LeftOut<T>> = true;

/// Returns what `get` finds in the source; left out if there is no source.
template <class T, class Get>
auto found_in(const T* source, Get get) {
  using Value = std::remove_cvref_t<std::invoke_result_t<Get, const T&>>;
  return LeftOut{source ? std::optional<Value>(std::invoke(get, *source)) : std::nullopt};
}

/// A value in its place; null where it is empty or 0.
template <class T>
struct OrNull {
  T& value;
};
template <class T>
OrNull(T&) -> OrNull<T>;

/// One of a few words or numbers.
template <const auto& Values>
struct OneAmong {
  typename std::remove_cvref_t<decltype(Values)>::value_type value;
};

/// The words of an enumeration's values; specialised for each enumeration that is written.
template <class Enum>
inline constexpr std::nullptr_t kWordsOf = nullptr;

/// Returns the value, or none if there is no value.
template <class T>
std::optional<T> when(bool there_is_one, const T& value) {
  return there_is_one ? std::optional(value) : std::nullopt;
}
/// Returns the text, or none if it is empty.
inline std::optional<std::string> known(std::string_view text) {
  return when(!text.empty(), std::string(text));
}
/// Returns the number, or none if it is not above 0.
inline std::optional<double> positive(double number) { return when(number > 0, number); }
/// Returns the number, or none if it is not finite.
inline std::optional<double> finite(double number) { return when(std::isfinite(number), number); }

/// Returns the JSON of a value.
template <class T>
nlohmann::ordered_json json_of(const T& value) {
  return JsonType<T>::value(value);
}
/// Reads a value from such JSON; what the JSON does not hold keeps its default. Throws
/// nlohmann::json::exception.
template <class T>
T read_as(const nlohmann::ordered_json& json) {
  T value{};
  JsonType<T>::read(json, value);
  return value;
}

/// A type that the JSON library can write.
template <class T, class Written = T>
struct PlainType {
  static nlohmann::ordered_json value(const T& value) { return Written(value); }
  static void read(const nlohmann::ordered_json& json,
                   T& value) requires std::is_arithmetic_v<T> || std::same_as<T, std::string> {
    json.get_to(value);
  }
};

template <>
struct JsonType<double> : PlainType<double> {
  /// JSON has no infinity, and writes null.
  static void read(const nlohmann::ordered_json& json, double& value) {
    value = json.is_null() ? std::numeric_limits<double>::infinity() : json.get<double>();
  }
  static nlohmann::ordered_json schema(nlohmann::ordered_json&) { return {{"type", "number"}}; }
};
template <>
struct JsonType<bool> : PlainType<bool> {
  static nlohmann::ordered_json schema(nlohmann::ordered_json&) { return {{"type", "boolean"}}; }
};
/// A count, of any integer type but int.
template <std::integral T>
struct JsonType<T> : PlainType<T> {
  static nlohmann::ordered_json schema(nlohmann::ordered_json&) {
    return {{"type", "integer"}, {"minimum", 0}};
  }
};
/// A number that may be negative.
template <>
struct JsonType<int> : PlainType<int> {
  static nlohmann::ordered_json schema(nlohmann::ordered_json&) { return {{"type", "integer"}}; }
};
template <class T>
requires std::convertible_to<const T&, std::string_view>
struct JsonType<T> : PlainType<T, std::string_view> {
  static nlohmann::ordered_json schema(nlohmann::ordered_json&) { return {{"type", "string"}}; }
};
template <bool Value>
struct JsonType<std::bool_constant<Value>> {
  static nlohmann::ordered_json value(std::bool_constant<Value>) { return Value; }
  static void read(const nlohmann::ordered_json& json, std::bool_constant<Value>) {
    if (json != Value)
      throw Error(ErrorKind::input, "the JSON must have the type that its schema states");
  }
  static nlohmann::ordered_json schema(nlohmann::ordered_json&) { return {{"const", Value}}; }
};

template <class T>
struct JsonType<std::optional<T>> {
  static nlohmann::ordered_json value(const std::optional<T>& value) {
    return value ? JsonType<T>::value(*value) : nlohmann::ordered_json(nullptr);
  }
  static void read(const nlohmann::ordered_json& json, std::optional<T>& value) {
    value.reset();
    if (!json.is_null()) value = read_as<T>(json);
  }
  static nlohmann::ordered_json schema(nlohmann::ordered_json& types) {
    return nullable(JsonType<T>::schema(types));
  }
};
template <class T>
struct JsonType<OrNull<T>> {
  using Value = std::remove_const_t<T>;
  static nlohmann::ordered_json value(OrNull<T> place) {
    return json_of(when(place.value != Value{}, place.value));
  }
  static void read(const nlohmann::ordered_json& json, OrNull<T> place) {
    place.value = json.is_null() ? Value{} : read_as<Value>(json);
  }
  static nlohmann::ordered_json schema(nlohmann::ordered_json& types) {
    return nullable(JsonType<Value>::schema(types));
  }
};
template <class T>
struct JsonType<LeftOut<T>> {
  static nlohmann::ordered_json value(const LeftOut<T>& value) {
    if (value.value) return JsonType<T>::value(*value.value);
    return nlohmann::ordered_json::value_t::discarded;
  }
  static nlohmann::ordered_json schema(nlohmann::ordered_json& types) {
    return JsonType<T>::schema(types);
  }
};

/// Arrays of one type; a `Count` of 0 means any length.
template <class Range, std::size_t Count = 0>
struct ArrayType {
  using Item = std::remove_cvref_t<std::ranges::range_value_t<Range>>;
  static nlohmann::ordered_json value(const Range& range) {
    auto json = nlohmann::ordered_json::array();
    for (const auto& item : range) json.push_back(JsonType<Item>::value(item));
    return json;
  }
  static void read(const nlohmann::ordered_json& json, Range& range) requires requires {
    JsonType<Item>::read(json, range[0]);
  }
  {
    if constexpr (Count == 0) range.resize(json.size());
    for (std::size_t i = 0; i < range.size(); ++i) JsonType<Item>::read(json.at(i), range[i]);
  }
  static nlohmann::ordered_json schema(nlohmann::ordered_json& types) {
    nlohmann::ordered_json schema{{"type", "array"}, {"items", JsonType<Item>::schema(types)}};
    if (Count > 0) schema.update({{"minItems", Count}, {"maxItems", Count}});
    return schema;
  }
};
template <class T>
struct JsonType<std::vector<T>> : ArrayType<std::vector<T>> {};
template <class T>
struct JsonType<std::span<const T>> : ArrayType<std::span<const T>> {};
template <class T, std::size_t Count>
struct JsonType<std::array<T, Count>> : ArrayType<std::array<T, Count>, Count> {};

/// One of these types.
template <class... Ts>
struct JsonType<std::variant<Ts...>> {
  static nlohmann::ordered_json value(const std::variant<Ts...>& value) {
    return std::visit([]<class T>(const T& one) { return JsonType<T>::value(one); }, value);
  }
  /// Reads the first of the types that fits the JSON.
  static void read(const nlohmann::ordered_json& json, std::variant<Ts...>& value) {
    const auto is_of = [&]<class T>(std::type_identity<T>) {
      try {
        value = read_as<T>(json);
        return true;
      } catch (const std::exception&) {
        return false;
      }
    };
    if (!(is_of(std::type_identity<Ts>()) || ...)) read_as<std::false_type>(json);
  }
  static nlohmann::ordered_json schema(nlohmann::ordered_json& types) {
    auto choice = nlohmann::ordered_json::array();
    (choice.push_back(JsonType<Ts>::schema(types)), ...);
    return {{"oneOf", std::move(choice)}};
  }
};

template <const auto& Values>
struct JsonType<OneAmong<Values>> {
  static nlohmann::ordered_json value(const OneAmong<Values>& one) { return one.value; }
  static nlohmann::ordered_json schema(nlohmann::ordered_json&) { return {{"enum", Values}}; }
};
template <class T>
requires std::is_enum_v<T>
struct JsonType<T> {
  static nlohmann::ordered_json value(T value) { return word_of(kWordsOf<T>, value); }
  static void read(const nlohmann::ordered_json& json, T& value) {
    value = OneOf<T>(kWordsOf<T>)(json.get<std::string>());
  }
  static nlohmann::ordered_json schema(nlohmann::ordered_json&) {
    auto words = nlohmann::ordered_json::array();
    for (const auto& [word, meaning] : kWordsOf<T>) words.push_back(word);
    return {{"enum", std::move(words)}};
  }
};

}  // namespace skde::cli
