#pragma once

#include <memory>
#include <string>

#include "io/points/columns/column_selection.hpp"
#include "io/points/columns/point_reader.hpp"

namespace skde::io {

/// Reads points x, y, z from doubles in memory, of the file `name`; for formats that cannot be read
/// from front to end. The columns are named x, y and z.
std::unique_ptr<PointReader> read_kept_points(const std::string& name, std::string xyz,
                                              const ColumnSelection& wanted);

/// Reads rows of doubles in memory: the selected x, y, z, the weight, if there is one, and
/// bandwidths.
std::unique_ptr<PointReader> read_kept_rows(const std::string& name, std::string rows,
                                            const SelectedColumns& selected);

}  // namespace skde::io
