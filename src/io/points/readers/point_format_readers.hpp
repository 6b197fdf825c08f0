#pragma once

#include <memory>

#include "io/bytes/byte_source.hpp"
#include "io/points/columns/point_reader.hpp"

namespace skde::io {

// The functions behind the rows of point_formats(). Each takes the source at its first byte. For
// the errors see open_points().

/// PLY 1.0: ascii, binary_little_endian, binary_big_endian. Columns are the scalar properties of
/// the element `vertex`; lists and other elements are skipped.
std::unique_ptr<PointReader> open_ply(BufferedSource source, const ColumnSelection& columns);

/// PCD 0.5 to 0.7: ascii, binary and binary_compressed. Columns are the fields with COUNT 1 whose
/// name is not "_".
std::unique_ptr<PointReader> open_pcd(BufferedSource source, const ColumnSelection& wanted);

/// NPY 1.0, 2.0 and 3.0. Arrays have shape (N, 3) or wider and hold integers or floats of 2, 4 or 8
/// bytes, in C or Fortran order; their columns have numbers, not names. The columns of structured
/// arrays are their fields.
std::unique_ptr<PointReader> open_npy(BufferedSource source, const ColumnSelection& columns);

/// NPZ: one NPY array of a ZIP archive, stored or deflated; columns.part names it if there are
/// several.
std::unique_ptr<PointReader> open_npz(BufferedSource source, const ColumnSelection& columns);

/// LAS 1.0 to 1.4, all point formats. Columns are x, y, z, as double, and the other numbers of a
/// point.
std::unique_ptr<PointReader> open_las(BufferedSource source, const ColumnSelection& wanted);

/// VTK's XML files of polygonal data or unstructured grids: the points of all pieces. Data may be
/// inline or appended, ascii, raw or base64, and packed by zlib. The file is held in memory.
std::unique_ptr<PointReader> open_vtk_xml(BufferedSource source, const ColumnSelection& wanted);

/// VTK's legacy files, ascii and binary: the points.
std::unique_ptr<PointReader> open_vtk(BufferedSource source, const ColumnSelection& wanted);

/// HDF5: the part that columns.part names (see hdf5_columns.hpp), chunked or not, packed or not.
/// Sources that are not seekable are held in memory.
std::unique_ptr<PointReader> open_hdf5(BufferedSource source, const ColumnSelection& wanted);

/// FITS: the table that columns.part names or numbers, or the only one; the columns take its units.
/// Sources that are not seekable are held in memory.
std::unique_ptr<PointReader> open_fits(BufferedSource source, const ColumnSelection& wanted);

/// Splats in any format of splat_formats(), with the columns of splat_columns(). The file is
/// decoded as a whole and held in memory.
std::unique_ptr<PointReader> open_splats(BufferedSource source, const ColumnSelection& wanted);

/// Rows of numbers separated by commas, semicolons, tabs or blanks, with or without a header row;
/// lines that begin with #, // or % are comments.
std::unique_ptr<PointReader> open_text(BufferedSource source, const ColumnSelection& columns);

}  // namespace skde::io
