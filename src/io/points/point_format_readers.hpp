#pragma once

#include <memory>

#include "io/byte_source.hpp"
#include "io/points/point_reader.hpp"

namespace skde::io {

// What stands behind the rows of point_formats(). Each takes the source from its first byte on.
// Errors: see open_points().

/// PLY 1.0: ascii, binary_little_endian, binary_big_endian. Columns are the scalar properties of
/// the element `vertex`; lists and other elements are passed over.
std::unique_ptr<PointReader> open_ply(BufferedSource source, const ColumnSelection& columns);

/// PCD 0.5 to 0.7: ascii and binary. Columns are the fields with COUNT 1 whose name is not "_".
std::unique_ptr<PointReader> open_pcd(BufferedSource source, const ColumnSelection& wanted);

/// NPY 1.0, 2.0 and 3.0: arrays of shape (N, 3) or wider, of integers, float32 or float64, in C or
/// Fortran order. Columns have numbers, no names.
std::unique_ptr<PointReader> open_npy(BufferedSource source, const ColumnSelection& columns);

/// Rows of numbers with commas, semicolons, tabs or blanks between them, with or without a header
/// row; lines that begin with # or // are comments.
std::unique_ptr<PointReader> open_text(BufferedSource source, const ColumnSelection& columns);

}  // namespace skde::io
