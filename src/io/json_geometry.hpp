#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "core/space/grid.hpp"
#include "core/space/space.hpp"
#include "io/json_object.hpp"

namespace skde::io {

// Vectors are arrays of 3 numbers, matrices of 6 (xx, xy, xz, yy, yz, zz), boxes of 2 corners.
// Missing values are null.

inline nlohmann::ordered_json to_json(double number) { return number; }
nlohmann::ordered_json to_json(Vec3 v);
nlohmann::ordered_json to_json(const Symmetric3& s);
nlohmann::ordered_json to_json(const Box& box);
nlohmann::ordered_json to_json(const std::array<std::int64_t, 3>& dims);
nlohmann::ordered_json to_json(const Grid& grid);
template <class Value>
nlohmann::ordered_json to_json(const std::optional<Value>& value) {
  return value ? to_json(*value) : nlohmann::ordered_json(nullptr);
}

// Each reads the value of a key of `object`, and throws what object.fail() throws if it has another
// form.

Vec3 vector_from(const JsonObject& object, const JsonObject::Json& value, std::string_view key);
/// All must be positive.
Vec3 lengths_from(const JsonObject& object, const JsonObject::Json& value, std::string_view key);
/// Must be positive definite.
Symmetric3 matrix_from(const JsonObject& object, const JsonObject::Json& value,
                       std::string_view key);
/// Cells along each axis, or [n, 0, 0].
std::array<std::int64_t, 3> dims_from(const JsonObject& object, const JsonObject::Json& value,
                                      std::string_view key);
/// The first corner must be below the second.
Box box_from(const JsonObject& object, const JsonObject::Json& value, std::string_view key);
/// A frame that the grid states goes to `frame`.
Grid grid_from(const JsonObject& object, const JsonObject::Json& value, std::string_view key,
               std::string* frame = nullptr);

/// Leaves `field` unchanged if the key is missing, and clears it if the value is null.
template <class Value, class Parse>
void read_optional(JsonObject& object, std::string_view key, std::optional<Value>& field,
                   Parse parse) {
  const JsonObject::Json* value = object.find(key);
  if (!value) return;
  if (value->is_null())
    field.reset();
  else
    field = parse(object, *value, key);
}

}  // namespace skde::io
