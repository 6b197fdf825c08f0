#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/bytes/scratch_file.hpp"
#include "order/row_keys.hpp"
#include "order/row_sort.hpp"

namespace skde {

/// Sorted runs of rows in a scratch file, one after another, and their merge. Some rows of each run
/// are marked: their keys stay in memory. A marked row parts the rows of all runs into those before
/// and after it in the order; the rows between two such rows are sorted by one thread. As rows of
/// equal keys are ordered by their runs and places, any mass of them is parted, too.
class SortedRuns {
 public:
  /// There will be at most `runs` runs of `run_rows` rows, and the merge may use `memory` bytes.
  SortedRuns(const std::string& beside, std::size_t row_bytes, std::uint64_t run_rows,
             std::uint64_t runs, std::int64_t memory);

  /// Begins the next run, whose sorted keys key(i) gives for each place i.
  template <class Key>
  void begin_run(std::uint64_t rows, const Key& key) {
    const std::uint64_t run = ends_.size();
    for (std::uint64_t place = 0; place < rows; place += mark_rows_)
      marks_.push_back(
          {key(place), static_cast<std::uint32_t>(run), static_cast<std::uint32_t>(place)});
    ends_.push_back(rows_ + rows);
    rows_ += rows;
  }
  /// Writes rows of the last run from its place `first` on; may be called by any thread.
  void write(std::uint64_t first, std::span<const char> rows);
  /// Gives all rows in order. May be called once.
  void merge(RowKeys& keys, const TakeRows& take, Progress& progress);
  std::uint64_t size() const { return ends_.size(); }

 private:
  /// A marked row of a run.
  struct Mark {
    std::uint64_t key;
    std::uint32_t run, place;
    friend auto operator<=>(const Mark&, const Mark&) = default;
  };
  std::uint64_t first_row(std::uint64_t run) const { return run == 0 ? 0 : ends_[run - 1]; }
  std::uint64_t key_of(std::uint64_t row, RowKeys& keys) const;
  std::uint64_t rows_before(const Mark& mark, std::uint64_t run, std::span<const Mark> own,
                            RowKeys& keys) const;

  io::ScratchFile file_;
  std::size_t row_bytes_;
  std::uint64_t range_rows_;  ///< about as many are sorted by a thread at a time
  std::uint64_t mark_rows_;   ///< every so many rows of a run, one is marked
  std::uint64_t rows_ = 0;
  std::vector<std::uint64_t> ends_;  ///< of the runs, in rows
  std::vector<Mark> marks_;
};

}  // namespace skde
