#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/report/error.hpp"
#include "core/report/progress.hpp"
#include "core/report/words.hpp"
#include "io/points/columns/read_columns.hpp"
#include "io/points/columns/reading_choices.hpp"
#include "order/key_sorter.hpp"
#include "order/row_keys.hpp"

namespace skde {

/// The words for curves; any other word names a column.
inline constexpr Words<OrderBy, 2> kOrders{
    {{"morton", OrderBy::morton}, {"hilbert", OrderBy::hilbert}}};

/// Files whose rows are to be written in order, as one file.
struct FileSort {
  std::vector<std::string> inputs;
  std::string output;
  std::string by;  ///< a word of kOrders, or the name or number (from 1) of a column
  bool reverse = false;
  bool index = false;  ///< writes a RowIndex beside the output, too; only for NPY
  io::ColumnSelection columns{};
  std::int64_t memory_limit = 0;  ///< bytes of host memory; 0: half of what is available
};

/// What was done.
struct FileSortFacts {
  std::uint64_t rows = 0;
  std::uint64_t runs = 1;     ///< 1: all rows fitted into memory
  std::string device;         ///< that sorted the keys
  bool keeps_bytes = true;    ///< false: columns were written as doubles
  io::ReadColumns columns{};  ///< x, y and z
  std::uint64_t index_blocks = 0;
  std::vector<Warning> warnings{};
};

/// Writes the rows of files in order. NPY, PLY and LAS files keep all bytes of their rows and what
/// else their headers say; they are written in the same format, and may be larger than memory.
/// Other files have to fit into memory, and their numbers are written as doubles by PointWriter.
/// The output appears whole or not at all. Throws Error(usage) if the output has another format
/// than files that keep their bytes, or if an index is wanted for another file than NPY;
/// Error(input) if a column of texts would be lost, and what sort_rows() throws; Error(output).
FileSortFacts sort_files(const FileSort& job, KeySorter& sorter, Progress& progress);

}  // namespace skde
