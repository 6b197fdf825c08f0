#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace skde::io {

/// The types that a binary column can have.
enum class ScalarType { i8, u8, i16, u16, i32, u32, i64, u64, f16, f32, f64 };

std::size_t size_of(ScalarType type);
/// Returns the type by its name in VTK's XML files ("Float32"); empty for other names.
std::optional<ScalarType> vtk_type(std::string_view name);

/// Converts `count` values to doubles. The first is at `from`, each next one `stride` bytes
/// further; they are written to to[0], to[to_step], to[2 to_step] and so on.
using ColumnConverter = void (*)(const char* from, std::size_t stride, std::size_t count,
                                 double* to, std::size_t to_step);

ColumnConverter column_converter(ScalarType type, bool big_endian);

/// Returns the little-endian integer in `count` bytes from `offset` on.
inline std::uint64_t little_endian(std::string_view bytes, std::size_t offset, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[offset + i]);
  return value;
}

/// How the values of a NetCDF or HDF5 variable are stored, by the CF conventions. Missing and
/// out-of-range values are recognised in stored form; other values have a factor and an offset.
struct ValuePacking {
  double wrap = 0;              ///< added to negative numbers; 0 if they are signed
  std::vector<double> missing;  ///< stored numbers that mean a missing value
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  double factor = 1, offset = 0;

  /// Takes what is missing and the range of values from attributes, whose numbers are rounded as
  /// the variable would store them: the double 1e20 differs from the nearest float. `fill` is the
  /// fill value without an attribute.
  template <class Numbers>
  void take_attributes(const Numbers& numbers, bool floats, std::optional<double> fill) {
    const auto stored = [&](const char* name) {
      std::vector<double> all = numbers(name);
      for (double& number : all) {
        if (floats) number = static_cast<double>(static_cast<float>(number));
        if (number < 0) number += wrap;
      }
      return all;
    };
    missing = stored("_FillValue");
    if (fill && missing.empty() && wrap == 0) missing.push_back(*fill);
    for (const double number : stored("missing_value")) missing.push_back(number);
    const std::vector<double> range = stored("valid_range"), from = stored("valid_min"),
                              to = stored("valid_max");
    const bool both = range.size() == 2;
    if (both || from.size() == 1) least = both ? range[0] : from[0];
    if (both || to.size() == 1) most = both ? range[1] : to[0];
  }

  /// Returns the value of a stored number; NaN if it is missing or out of range.
  double value(double stored) const;
  /// Returns true if every value equals its stored number.
  bool is_plain() const;
  /// Returns true if every value equals its stored number, or is missing.
  bool keeps_numbers() const { return wrap == 0 && factor == 1 && offset == 0; }
};

/// Returns NetCDF's default fill value for a type. Bytes have none: any byte may be a value.
std::optional<double> netcdf_fill(bool whole, bool is_signed, std::size_t bytes);

}  // namespace skde::io
