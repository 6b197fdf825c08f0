#pragma once

#include <memory>

#include "io/points/columns/point_reader.hpp"

namespace skde::io {

/// Opens a file of splats in any format of splat_formats(), with the columns of splat_columns(). It
/// is decoded as a whole and held in memory. For the errors see open_points().
std::unique_ptr<PointReader> open_splats(BufferedSource source, const ColumnSelection& wanted);

}  // namespace skde::io
