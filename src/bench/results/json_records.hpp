#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "io/text/json_object.hpp"

namespace skde::bench {

// Reads and writes records as JSON by one list of their fields. A type has, in its own namespace,
//
//   void each_field(auto& visit, SameRecord<Point> auto& p) {
//     visit("x", p.x)("y", p.y);        // in the order of the file
//     visit.may_lack("name", p.name);   // left out if it is empty, as optional numbers are
//   }
//
// and, if some of its values can contradict each other, check_record(object, record), which throws
// what object.fail() throws. A field may be a text, a bool, a number or numbers, an enumeration
// whose enumerators have the names of names_of(field) in their order, another record, or a list of
// records.

template <class Record, class Wanted>
concept SameRecord = std::same_as<std::remove_const_t<Record>, Wanted>;

using io::JsonObject;

class RecordWriter {
 public:
  using Json = JsonObject::Json;

  template <class Field>
  RecordWriter& operator()(const char* name, const Field& field) {
    json_[name] = written(field);
    return *this;
  }
  RecordWriter& operator()(const char* name, const std::optional<double>& field) {
    if (field) json_[name] = *field;
    return *this;
  }
  void may_lack(const char* name, const std::string& text) {
    if (!text.empty()) json_[name] = text;
  }

  template <class Field>
  static Json written(const Field& field) {
    if constexpr (requires(RecordWriter & visit) { each_field(visit, field); }) {
      RecordWriter record;
      each_field(record, field);
      return std::move(record.json_);
    } else if constexpr (requires { names_of(field); }) {
      return names_of(field)[static_cast<std::size_t>(field)];
    } else if constexpr (std::is_constructible_v<Json, Field>) {
      return field;
    } else {
      Json list = Json::array();
      for (const auto& one : field) list.push_back(written(one));
      return list;
    }
  }

 private:
  Json json_ = Json::object();
};

/// Numbers must be finite and at least 0. A field that is missing, unknown or of another type
/// throws Error(input) that names the file and the field.
class RecordReader {
 public:
  explicit RecordReader(JsonObject object) : object_(std::move(object)) {}

  template <class Field>
  RecordReader& operator()(const char* name, Field& field) {
    object_.require({name});
    if constexpr (std::same_as<Field, std::string> || std::same_as<Field, bool>)
      object_.read(name, field);
    else if constexpr (std::same_as<Field, double> || std::same_as<Field, std::vector<double>>)
      object_.read(name, field, 0);
    else if constexpr (std::integral<Field>)
      object_.read_whole(name, field, 0);
    else if constexpr (requires { names_of(field); })
      read_enumerator(name, field, names_of(field));
    else if constexpr (requires { each_field(*this, field); })
      read(object_.object(*object_.find(name), name), field);
    else
      object_.objects(name, [&](const JsonObject& one) { read(one, field.emplace_back()); });
    return *this;
  }
  template <std::size_t Count>
  RecordReader& operator()(const char* name, std::array<double, Count>& field) {
    std::vector<double> values;
    (*this)(name, values);
    if (values.size() != Count) object_.fail(name, "must be an array of " + std::to_string(Count));
    std::ranges::copy(values, field.begin());
    return *this;
  }
  RecordReader& operator()(const char* name, std::optional<double>& field) {
    if (object_.has(name)) object_.read(name, field.emplace(), 0);
    return *this;
  }
  void may_lack(const char* name, std::string& text) { object_.read(name, text); }

  template <class Record>
  static void read(const JsonObject& object, Record& record) {
    RecordReader reader(object);
    each_field(reader, record);
    reader.object_.finish();
    if constexpr (requires { check_record(object, record); }) check_record(object, record);
  }

 private:
  template <class Field, std::size_t Count>
  void read_enumerator(const char* name, Field& field,
                       const std::array<std::string_view, Count>& names) {
    std::array<std::pair<std::string_view, Field>, Count> words;
    for (std::size_t k = 0; k < Count; ++k) words[k] = {names[k], static_cast<Field>(k)};
    object_.read_word(name, field, words);
  }

  JsonObject object_;
};

}  // namespace skde::bench
