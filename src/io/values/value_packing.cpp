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

}  // namespace skde::io
