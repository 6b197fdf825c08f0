#pragma once

#include <memory>

#include "io/bytes/byte_source.hpp"
#include "io/points/point_reader.hpp"

namespace skde::io {

// What stands behind the rows of point_formats(). Each takes the source from its first byte on.
// Errors: see open_points().

/// PLY 1.0: ascii, binary_little_endian, binary_big_endian. Columns are the scalar properties of
/// the element `vertex`; lists and other elements are passed over.
std::unique_ptr<PointReader> open_ply(BufferedSource source, const ColumnSelection& columns);

/// PCD 0.5 to 0.7: ascii, binary and binary_compressed. Columns are the fields with COUNT 1 whose
/// name is not "_".
std::unique_ptr<PointReader> open_pcd(BufferedSource source, const ColumnSelection& wanted);

/// NPY 1.0, 2.0 and 3.0: arrays of shape (N, 3) or wider, of integers or floats of 2, 4 or 8 bytes,
/// in C or Fortran order, whose columns have numbers, no names; and structured arrays, whose
/// columns are the fields.
std::unique_ptr<PointReader> open_npy(BufferedSource source, const ColumnSelection& columns);

/// NPZ: one NPY array of a ZIP archive, stored or deflated; columns.part names it where there are
/// several.
std::unique_ptr<PointReader> open_npz(BufferedSource source, const ColumnSelection& columns);

/// LAS 1.0 to 1.4, all point formats: columns x, y, z, as double, and the other numbers of a point.
std::unique_ptr<PointReader> open_las(BufferedSource source, const ColumnSelection& wanted);

/// VTK's XML files of polygonal data or unstructured grids, inline or appended, ascii, raw, base64,
/// also packed by zlib: the points of all pieces. The file is held in memory.
std::unique_ptr<PointReader> open_vtk_xml(BufferedSource source, const ColumnSelection& wanted);

/// VTK's legacy files, ascii and binary: the points.
std::unique_ptr<PointReader> open_vtk(BufferedSource source, const ColumnSelection& wanted);

/// HDF5: the part that columns.part names (see hdf5_columns.hpp), in chunks, packed or not. Sources
/// that are no files are held in memory.
std::unique_ptr<PointReader> open_hdf5(BufferedSource source, const ColumnSelection& wanted);

/// FITS: the table that columns.part names or numbers, or the only one; its units become those of
/// the columns. Sources that are no files are held in memory.
std::unique_ptr<PointReader> open_fits(BufferedSource source, const ColumnSelection& wanted);

/// Rows of numbers with commas, semicolons, tabs or blanks between them, with or without a header
/// row; lines that begin with # or // are comments.
std::unique_ptr<PointReader> open_text(BufferedSource source, const ColumnSelection& columns);

}  // namespace skde::io
