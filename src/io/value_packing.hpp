#pragma once

#include <limits>
#include <vector>

namespace skde::io {

/// How the values of a variable of NetCDF or HDF5 are stored, as CF says it: what is missing or out
/// of its range is told by the numbers as they are stored, the others have a factor and an offset.
struct ValuePacking {
  double wrap = 0;              ///< by how much a number below 0 is too small
  std::vector<double> missing;  ///< numbers that are no values
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  double factor = 1, offset = 0;

  /// The value of what is stored; NaN where it is none.
  double value(double stored) const;
  /// True where every value is what is stored.
  bool is_plain() const;
};

}  // namespace skde::io
