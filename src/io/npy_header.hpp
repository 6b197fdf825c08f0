#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "core/grid.hpp"
#include "io/byte_source.hpp"
#include "io/scalar_type.hpp"

namespace skde::io {

/// The header of an array in NumPy's NPY format, versions 1.0 to 3.0.
struct NpyHeader {
  ScalarType type = ScalarType::f64;
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

/// Reads the header; the source then stands at the first value. Error(input) where it is broken or
/// the values are neither integers nor float32 nor float64.
NpyHeader read_npy_header(BufferedSource& source);

/// The header, version 1.0, of an array of little-endian values in C order; padded so that the
/// values begin at a multiple of 64 bytes.
std::string npy_header(Precision precision, std::initializer_list<std::int64_t> shape);
/// Writes such an array whole or not at all. Error(output) where that fails.
void write_npy(const std::string& path, std::span<const double> values,
               std::initializer_list<std::int64_t> shape);

}  // namespace skde::io
