#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "core/report/progress.hpp"
#include "io/points/record_files.hpp"
#include "order/key_sorter.hpp"
#include "order/row_keys.hpp"

namespace skde {

/// What rows are sorted with.
struct SortMeans {
  KeySorter& sorter;
  std::int64_t memory = 0;  ///< bytes that may be used
  /// If the rows do not fit, sorted runs of them go to a scratch file in the folder of this path.
  std::string scratch_beside{};
  std::size_t piece_bytes = std::size_t{1} << 20;  ///< that a thread reads and writes at a time
};

/// Takes sorted rows: their bytes, and the place of the first (from 0) among all. Called by any
/// thread, for any place; each row is given once.
using TakeRows = std::function<void(std::uint64_t first, std::span<const char> bytes)>;

/// Returns how many rows of this size fit into memory with what sorting them takes.
std::uint64_t rows_in_memory(std::size_t row_bytes, std::int64_t memory);

/// Puts rows in ascending order of their keys; rows of equal keys keep their order. Rows that do
/// not fit into memory are sorted in runs, which are merged by ranges of keys, a range a thread.
/// Returns the number of runs. Throws Error(input) for rows without a place in the order, and if
/// there are none; what reading and writing throws; Error(resources) if too few rows fit into
/// memory; Error(cancelled).
std::uint64_t sort_rows(const io::RowSource& rows, RowKeys& keys, const SortMeans& means,
                        const TakeRows& take, Progress& progress);

}  // namespace skde
