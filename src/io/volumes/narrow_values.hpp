#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/space/volume.hpp"
#include "io/volumes/volume_writer.hpp"

namespace skde::io {

/// The narrow type of an array and its scale: stored number times scale is the value.
struct Narrowing {
  std::string_view word;   ///< "f16", "u8" or, for values of both signs, "i8"
  std::string_view descr;  ///< the same for NumPy
  std::size_t bytes = 0;   ///< of a number
  double scale = 1;        ///< of half floats a power of two
  double error = 0;        ///< largest error of a value by rounding
};

/// Returns the scale by which the values use the range of the type. Throws Error(unsupported) if a
/// value is not finite.
Narrowing narrowing_for(ValueSpan values, ArrayValues stored);
/// Returns the bytes of the stored numbers.
std::string narrowed(ValueSpan values, const Narrowing& narrowing);

}  // namespace skde::io
