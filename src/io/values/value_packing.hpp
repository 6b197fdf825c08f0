#pragma once

#include <limits>
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

  /// Returns the value of a stored number; NaN if it is missing or out of range.
  double value(double stored) const;
  /// Returns true if every value equals its stored number.
  bool is_plain() const;
  /// Returns true if every value equals its stored number, or is missing.
  bool keeps_numbers() const { return wrap == 0 && factor == 1 && offset == 0; }
};

}  // namespace skde::io
