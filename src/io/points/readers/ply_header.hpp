#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/bytes/byte_source.hpp"
#include "io/values/scalar_type.hpp"

namespace skde::io {

enum class PlyEncoding { ascii, little_endian, big_endian };

struct PlyProperty {
  std::string name;
  ScalarType type = ScalarType::f32;
  bool list = false;
  ScalarType length_type = ScalarType::u8;  ///< type of a list's length
};

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties;

  bool has_lists() const;
  /// Minimum bytes of a row; exact if a binary element has no lists.
  std::size_t least_row_bytes(PlyEncoding encoding) const;
};

struct PlyHeader {
  PlyEncoding encoding = PlyEncoding::ascii;
  std::vector<PlyElement> elements;
  std::uint64_t lines = 0;
};

/// Reads up to and including the line end_header. Throws Error(input) with the line's number if it
/// is broken.
PlyHeader read_ply_header(BufferedSource& source);

}  // namespace skde::io
