#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/bytes/byte_source.hpp"
#include "io/points/columns/point_reader.hpp"
#include "io/values/hdf5_handle.hpp"

namespace skde::io {

/// Opens the HDF5 file in a source; a source that is not seekable is first read into memory. Throws
/// Error(input) if libhdf5 cannot open it, or if parts of it are stored in other files.
Hdf5Handle open_hdf5_file(BufferedSource source);

/// A column in an HDF5 file: a data set, or one of its columns or members.
struct Hdf5Column {
  std::string name;
  std::string dataset;       ///< path of the data set
  std::string member;        ///< of a record; empty for plain numbers
  std::int64_t column = -1;  ///< of a two-dimensional data set; -1 for one dimension
};

/// The columns that form the rows of one cloud.
struct Hdf5Columns {
  std::vector<Hdf5Column> columns;
  std::uint64_t rows = 0;
  std::vector<std::string> left_out{};  ///< what else each row has: texts, vectors
};

/// Finds the columns of the wanted part of a file. It may be a data set of shape (N, 3) or wider,
/// whose columns are named x, y, z, together with the data sets of N numbers beside it; a data set
/// of records; or a group, of whose data sets those with as many numbers as the coordinates are
/// taken. Without a part: `locs`, or the coordinates of the only particle type. Throws Error(input)
/// that lists the data sets if there is no such part, if it is none of these, or if its shape is
/// (3, N), which may be 3 samples or x, y and z in rows. `name` is the name of the file.
Hdf5Columns find_hdf5_columns(const Hdf5Handle& file, const std::string& name,
                              const ColumnSelection& wanted);

}  // namespace skde::io
