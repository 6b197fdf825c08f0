#pragma once

#include <memory>
#include <string>

#include "io/points/point_reader.hpp"

namespace skde::io {

/// Gives of a reader's rows those for which columns.where holds. The reader has the columns of that
/// condition behind the widths and others, and before that of categories; this one leaves them out.
std::unique_ptr<PointReader> filtered_reader(std::unique_ptr<PointReader> reader,
                                             const ColumnSelection& columns);

}  // namespace skde::io
