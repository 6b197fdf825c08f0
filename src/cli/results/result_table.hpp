#pragma once

#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "cli/results/any_table.hpp"
#include "cli/results/command_result.hpp"
#include "cli/results/json_type.hpp"
#include "cli/results/report.hpp"

namespace skde::cli {

/// Adds fields of T to a table. A type defines its fields in a function add_fields(Fields<T>&).
template <class T>
class Fields {
 public:
  using Json = nlohmann::ordered_json;

  explicit Fields(AnyTable& table) : table_(&table) {}

  /// Sets the name of the type. For a document, this is its kind, and `about` is the command that
  /// prints it.
  void name(std::string_view name, std::string_view about = {}) {
    table_->name = name;
    table_->about = about;
  }

  /// Adds a field that `get` finds: a member or a function, whose type is the field's. Members can
  /// be read again. `about` is its description.
  template <class Get>
  void operator()(std::string_view name, std::string_view about, Get get) {
    using Value = std::remove_cvref_t<std::invoke_result_t<Get, const T&>>;
    static_assert(std::is_trivially_copyable_v<Get> && sizeof(Get) <= sizeof(AnyField::source));
    AnyField& field = append(name);
    field.about = about;
    field.may_lack = kIsLeftOut<Value>;
    std::memcpy(field.source.data(), &get, sizeof(get));
    field.value = [](const void* source, const void* result) {
      return JsonType<Value>::value(
          std::invoke(*static_cast<const Get*>(source), *static_cast<const T*>(result)));
    };
    field.schema = JsonType<Value>::schema;
    using Place = std::invoke_result_t<const Get&, T&>;
    using Read = JsonType<std::remove_cvref_t<Place>>;
    if constexpr (requires(const Json& json, Place&& place) {
                    Read::read(json, std::forward<Place>(place));
                  })
      field.read = [](const void* source, void* result, const Json& json) {
        Read::read(json, std::invoke(*static_cast<const Get*>(source), *static_cast<T*>(result)));
      };
  }
  template <class Get>
  void operator()(std::string_view name, Get get) {
    (*this)(name, {}, get);
  }
  /// A field that `set`, a function of the result and the value, puts back when it is read.
  template <class Get, class Set>
  void operator()(std::string_view name, std::string_view about, Get get, Set) {
    (*this)(name, about, get);
    table_->fields.back().read = [](const void*, void* result, const Json& json) {
      using Value = std::remove_cvref_t<std::invoke_result_t<Get, const T&>>;
      Set{}(*static_cast<T*>(result), read_as<Value>(json));
    };
  }

  /// Adds an object whose fields are about the same result.
  template <class Add>
  void object(std::string_view name, Add add) {
    AnyTable parts;
    Fields fields(parts);
    add(fields);
    append(name).parts = std::move(parts.fields);
  }
  /// Adds a line for people; none if the text is empty.
  void line(std::string_view label, std::string (*text)(const T&)) {
    append({}).tell = [=](Report& report, const void* result) {
      if (const std::string line = text(*static_cast<const T*>(result)); !line.empty())
        report.line(std::string(label), line);
    };
  }
  /// Adds several lines for people.
  void lines(void (*add)(Report&, const T&)) {
    append({}).tell = [=](Report& report, const void* result) {
      add(report, *static_cast<const T*>(result));
    };
  }

 private:
  AnyField& append(std::string_view name) {
    table_->fields.emplace_back().name = name;
    return table_->fields.back();
  }

  AnyTable* table_;
};

/// Returns a table with the fields that `add` adds.
template <class T, class Add>
AnyTable table_of(Add add) {
  AnyTable table;
  Fields<T> fields(table);
  add(fields);
  return table;
}

template <class T>
const AnyTable& result_table() {
  static const AnyTable table = table_of<T>([](Fields<T>& fields) { add_fields(fields); });
  return table;
}

/// Returns a result as a document.
template <class T>
nlohmann::ordered_json document_json(const T& result) {
  return document_json(result_table<T>(), &result);
}
/// Returns a result as a document and, if it is to be shown so, as a report for people.
template <class T>
CommandResult show_result(const SummaryForm& form, const T& result) {
  const AnyTable& table = result_table<T>();
  return {form, document_json(table, &result),
          form.json || form.quiet ? std::string() : report_text(table, &result)};
}

}  // namespace skde::cli
