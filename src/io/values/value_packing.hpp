#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace skde::io {

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
