#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/bytes/byte_source.hpp"
#include "io/values/scalar_type.hpp"

namespace skde::io {

/// A field of a point, with `count` values of `type`.
struct PcdField {
  std::string name;
  ScalarType type = ScalarType::f32;
  std::uint64_t count = 1;

  /// Returns false for padding ("_") and for fields that do not have exactly one value.
  bool is_column() const { return name != "_" && count == 1; }
};

struct PcdHeader {
  std::vector<PcdField> fields;
  std::uint64_t points = 0;
  bool binary = false;
  bool compressed = false;  ///< one packed piece, stored field by field
  std::uint64_t lines = 0;
};

/// Reads up to and including the line DATA. Throws Error(input) with the line's number if it is
/// broken, or if its parts contradict each other.
PcdHeader read_pcd_header(BufferedSource& source);

}  // namespace skde::io
