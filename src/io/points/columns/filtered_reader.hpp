#pragma once

#include <memory>
#include <string>

#include "io/points/point_reader.hpp"

namespace skde::io {

/// Returns a reader of those rows for which columns.where holds. The given reader has the columns
/// of the condition after the bandwidths and others, and before the category; this reader omits
/// them.
std::unique_ptr<PointReader> filtered_reader(std::unique_ptr<PointReader> reader,
                                             const ColumnSelection& columns);

}  // namespace skde::io
