#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

}  // namespace skde::io
