#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/bytes/byte_source.hpp"
#include "io/scalar_type.hpp"

namespace skde::io {

/// A field of a point; `count` values of `type`.
struct PcdField {
  std::string name;
  ScalarType type = ScalarType::f32;
  std::uint64_t count = 1;

  /// False for padding ("_") and for fields of more or less than one value.
  bool is_column() const { return name != "_" && count == 1; }
};

struct PcdHeader {
  std::vector<PcdField> fields;
  std::uint64_t points = 0;
  bool binary = false;
  bool compressed = false;  ///< one packed piece, in which each field's values stand together
  std::uint64_t lines = 0;
};

/// Reads up to and with the line DATA. Error(input) with the line's number where it is broken, or
/// its parts disagree.
PcdHeader read_pcd_header(BufferedSource& source);

}  // namespace skde::io
