#include "analysis/column_scale.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/report/error.hpp"

namespace skde {

ColumnScale scale_of(std::span<const double> values, std::size_t columns, std::size_t column) {
  double least = values[column], most = least;
  for (std::size_t i = column; i < values.size(); i += columns) {
    if (!std::isfinite(values[i]))
      throw Error(ErrorKind::input,
                  fmt::format("the value of sample {} (from 0) is not finite", i / columns),
                  {"value", "correct the value, or remove the sample"});
    least = std::min(least, values[i]);
    most = std::max(most, values[i]);
  }
  const double half = 0.5 * most - 0.5 * least;
  return {0.5 * most + 0.5 * least, half > 0 ? half : 1};
}

void require_columns(std::span<const double> values, std::size_t columns) {
  if (columns > 0 && !values.empty() && values.size() % columns == 0) return;
  throw Error(ErrorKind::usage, "the number of values differs between samples",
              {"value", "name columns of the cloud with `value`"});
}

}  // namespace skde
