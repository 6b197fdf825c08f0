#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/space/grid.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/values/scalar_type.hpp"

namespace skde::io {

/// Suffix that turns the path of an NPY array into that of its description.
inline constexpr std::string_view kNpyCompanion = ".json";

/// A numeric field in the records of a structured array. The elements of a field that is itself an
/// array become fields named after it: "position:0".
struct NpyField {
  std::string name;
  std::size_t offset = 0;
  ScalarType type = ScalarType::f64;
  bool big_endian = false;
};

/// The header of an array in NumPy's NPY format, versions 1.0 to 3.0.
struct NpyHeader {
  ScalarType type = ScalarType::f64;
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
  std::vector<NpyField> fields{};  ///< numeric fields of a structured array; texts are left out
  std::size_t record_bytes = 0;    ///< of a structured array; 0 for other arrays
  std::vector<std::string> left_out{};  ///< its fields that hold no numbers

  bool is_structured() const { return record_bytes > 0; }
};

/// Reads the header; the source is then at the first value. Throws Error(input) if the header is
/// broken, or the values are neither integers nor floats of 2, 4 or 8 bytes, nor records of such.
NpyHeader read_npy_header(BufferedSource& source);

/// Returns the header, version 1.0, of an array of little-endian values in C order, padded so that
/// the values begin at a multiple of 64 bytes.
std::string npy_header(Precision precision, const std::vector<std::int64_t>& shape);
/// Returns the header for values of the type `descr`, NumPy's name in quotes: "'<f2'".
std::string npy_header(std::string_view descr, const std::vector<std::int64_t>& shape);
/// The same for `rows` records with these fields of 8 bytes, little-endian doubles.
std::string npy_records_header(std::uint64_t rows, std::span<const std::string_view> fields);
/// Writes such an array whole or not at all. Throws Error(output) if that fails.
void write_npy(const std::string& path, std::span<const double> values,
               const std::vector<std::int64_t>& shape);

}  // namespace skde::io
