#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/bytes/byte_source.hpp"
#include "io/scalar_type.hpp"

namespace skde::io {

enum class PlyEncoding { ascii, little_endian, big_endian };

struct PlyProperty {
  std::string name;
  ScalarType type = ScalarType::f32;
  bool list = false;
  ScalarType length_type = ScalarType::u8;  ///< of a list's length
};

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties;

  bool has_lists() const;
  /// Bytes that each row takes at least: exactly, where a binary element has no lists.
  std::size_t least_row_bytes(PlyEncoding encoding) const;
};

struct PlyHeader {
  PlyEncoding encoding = PlyEncoding::ascii;
  std::vector<PlyElement> elements;
  std::uint64_t lines = 0;
};

/// Reads up to and with the line end_header. Error(input) with the line's number where it is
/// broken.
PlyHeader read_ply_header(BufferedSource& source);

}  // namespace skde::io
