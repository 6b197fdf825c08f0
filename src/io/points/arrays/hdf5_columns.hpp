#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/points/arrays/hdf5_file.hpp"
#include "io/points/point_reader.hpp"

namespace skde::io {

/// A column in an HDF5 file: a data set, or one of its columns or members.
struct Hdf5Column {
  std::string name;
  std::string dataset;       ///< its path
  std::string member;        ///< of records; empty for plain numbers
  std::int64_t column = -1;  ///< of a data set of two dimensions; -1: it has one
};

/// The columns that are rows of one cloud.
struct Hdf5Columns {
  std::vector<Hdf5Column> columns;
  std::uint64_t rows = 0;
};

/// What the part of a file that is wanted holds: a data set of shape (N, 3) or wider, named x, y,
/// z, with those of N numbers beside it; a data set of records; or a group of data sets of N
/// numbers, as many as those of the coordinates have. Without a part: `locs`, or the coordinates of
/// the one type of particles. Error(input) that lists the data sets where there is no such part, or
/// it is none of these, or of shape (3, N), which may be 3 samples or x, y and z in rows. `name`:
/// of the file.
Hdf5Columns find_hdf5_columns(const Hdf5Handle& file, const std::string& name,
                              const ColumnSelection& wanted);

}  // namespace skde::io
