#include "io/values/value_packing.hpp"

#include <algorithm>
#include <cmath>

namespace skde::io {

double ValuePacking::value(double stored) const {
  const double number = stored < 0 ? stored + wrap : stored;
  if (number < least || number > most || std::ranges::find(missing, number) != missing.end())
    return std::numeric_limits<double>::quiet_NaN();
  return number * factor + offset;
}

bool ValuePacking::is_plain() const {
  return wrap == 0 && missing.empty() && std::isinf(least) && std::isinf(most) && factor == 1 &&
         offset == 0;
}

std::optional<double> netcdf_fill(bool whole, bool is_signed, std::size_t bytes) {
  if (!whole) return bytes >= 4 ? std::optional(0x1.ep+122) : std::nullopt;
  if (bytes == 2) return is_signed ? -32767.0 : 65535.0;
  if (bytes == 4) return is_signed ? -2147483647.0 : 4294967295.0;
  if (bytes == 8) return is_signed ? -9223372036854775806.0 : 18446744073709551614.0;
  return std::nullopt;
}

}  // namespace skde::io
