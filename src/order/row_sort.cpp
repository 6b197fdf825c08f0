#include "order/row_sort.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <optional>

#include "core/grid.hpp"
#include "core/report/error.hpp"
#include "order/row_buffer.hpp"
#include "order/shared_work.hpp"
#include "order/sorted_order.hpp"
#include "order/sorted_runs.hpp"

namespace skde {
namespace {

/// Bytes that sorting takes for each row, besides the row: its key, its place and working memory.
constexpr std::size_t kSortBytes = sizeof(std::uint64_t) + sizeof(std::uint32_t) + kOrderBytes;
constexpr std::uint64_t kMostRows = std::numeric_limits<std::uint32_t>::max();
/// With fewer rows in memory, runs would be too many to merge.
constexpr std::uint64_t kFewestRows = 256;

/// The rows of a source, chunk by chunk.
class ChunkSort {
 public:
  ChunkSort(const io::RowSource& rows, RowKeys& keys, const SortMeans& means, std::uint64_t most)
      : rows_(rows),
        keys_(keys),
        sorter_(means.sorter),
        row_bytes_(rows.row_bytes()),
        piece_(std::max<std::uint64_t>(1, means.piece_bytes / row_bytes_)),
        bytes_(static_cast<std::size_t>(most) * row_bytes_),
        found_(static_cast<std::size_t>(most)),
        order_(static_cast<std::size_t>(most)) {}

  std::uint64_t pieces_of(std::uint64_t count) const { return (count + piece_ - 1) / piece_; }

  /// Calls work(first, count, thread) for each piece of `count` rows, and counts the rows.
  template <class Work>
  void each_piece(SharedWork& shared, std::uint64_t count, const Work& work) {
    shared.each(pieces_of(count), [&](std::uint64_t piece, std::size_t thread) {
      const std::uint64_t first = piece * piece_;
      const auto some = static_cast<std::size_t>(std::min(piece_, count - first));
      work(first, some, thread);
      return some;
    });
  }

  /// Reads a chunk into memory, and looks at its rows if wanted.
  void read(SharedWork& shared, std::uint64_t first, std::uint64_t count, bool looks) {
    first_ = first;
    count_ = static_cast<std::size_t>(count);
    each_piece(shared, count, [&](std::uint64_t begin, std::size_t some, std::size_t) {
      char* const to = bytes_.data() + begin * row_bytes_;
      rows_.read(first + begin, some, to);
      if (looks) keys_.look(first + begin, some, to);
    });
  }

  /// Finds the order of the rows in memory.
  void sort(SharedWork& shared) {
    std::atomic<bool> sorted = true;
    each_piece(shared, count_, [&](std::uint64_t begin, std::size_t some, std::size_t) {
      const std::span<std::uint64_t> own(found_.data() + begin, some);
      keys_.write(first_ + begin, bytes_.data() + begin * row_bytes_, own);
      if (!std::ranges::is_sorted(own)) sorted = false;
    });
    keys_.require_places();
    for (std::uint64_t at = piece_; sorted && at < count_; at += piece_)
      sorted = found_.data()[at - 1] <= found_.data()[at];
    sorted_ = sorted;
    if (!sorted_) sorter_.sort(found_.first(count_), order_.first(count_));
  }

  /// The key at a place of the order.
  std::uint64_t key_at(std::uint64_t place) const {
    return found_.data()[sorted_ ? place : order_.data()[place]];
  }

  /// Gives the rows in order; places are those within the chunk.
  void give(SharedWork& shared, const TakeRows& take) {
    std::vector<std::vector<char>> memories(SharedWork::threads());
    each_piece(shared, count_, [&](std::uint64_t begin, std::size_t some, std::size_t thread) {
      const std::size_t bytes = some * row_bytes_;
      if (sorted_) return take(begin, {bytes_.data() + begin * row_bytes_, bytes});
      std::vector<char>& memory = memories[thread];
      memory.resize(std::max(memory.size(), bytes));
      gather_rows(bytes_.data(), row_bytes_, {order_.data() + begin, some}, memory.data());
      take(begin, {memory.data(), bytes});
    });
  }

 private:
  const io::RowSource& rows_;
  RowKeys& keys_;
  KeySorter& sorter_;
  std::size_t row_bytes_;
  std::uint64_t piece_;  ///< rows
  RawBuffer<char> bytes_;
  RawBuffer<std::uint64_t> found_;
  RawBuffer<std::uint32_t> order_;
  std::uint64_t first_ = 0;
  std::size_t count_ = 0;
  bool sorted_ = false;  ///< the rows of the chunk are in order as they are
};

/// Finds the box of all rows without keeping them.
void look_at_all(const io::RowSource& rows, RowKeys& keys, const SortMeans& means,
                 Progress& progress) {
  const std::uint64_t piece = std::max<std::uint64_t>(1, means.piece_bytes / rows.row_bytes());
  std::vector<std::vector<char>> memories(SharedWork::threads());
  SharedWork shared(progress, "find the bounds", rows.rows());
  shared.each((rows.rows() + piece - 1) / piece, [&](std::uint64_t i, std::size_t thread) {
    const std::uint64_t first = i * piece;
    const auto some = static_cast<std::size_t>(std::min(piece, rows.rows() - first));
    std::vector<char>& memory = memories[thread];
    memory.resize(static_cast<std::size_t>(piece) * rows.row_bytes());
    rows.read(first, some, memory.data());
    keys.look(first, some, memory.data());
    return some;
  });
  keys.require_places();
}

void sort_in_memory(const io::RowSource& rows, RowKeys& keys, const SortMeans& means,
                    const TakeRows& take, Progress& progress) {
  ChunkSort chunk(rows, keys, means, rows.rows());
  {
    SharedWork shared(progress, "read the rows", rows.rows());
    chunk.read(shared, 0, rows.rows(), keys.looks_first());
    keys.require_places();
  }
  {
    SharedWork shared(progress, "sort the rows", rows.rows());
    chunk.sort(shared);
  }
  SharedWork shared(progress, "write the rows", rows.rows());
  chunk.give(shared, take);
}

}  // namespace

std::uint64_t rows_in_memory(std::size_t row_bytes, std::int64_t memory) {
  return std::min(kMostRows, static_cast<std::uint64_t>(std::max<std::int64_t>(memory, 0)) /
                                 (row_bytes + kSortBytes));
}

std::uint64_t sort_rows(const io::RowSource& rows, RowKeys& keys, const SortMeans& means,
                        const TakeRows& take, Progress& progress) {
  const std::uint64_t count = rows.rows(), most = rows_in_memory(rows.row_bytes(), means.memory);
  if (count == 0) throw Error(ErrorKind::input, "there are no rows to put in order");
  if (count <= most) {
    sort_in_memory(rows, keys, means, take, progress);
    return 1;
  }
  if (most < kFewestRows)
    throw Error(ErrorKind::resources,
                fmt::format("only {} rows fit into {}", most,
                            format_bytes(static_cast<double>(means.memory))),
                {"memory_limit", "raise `memory_limit`"});
  if (keys.looks_first()) look_at_all(rows, keys, means, progress);
  const std::uint64_t run_count = (count + most - 1) / most, run_rows = (count - 1) / run_count + 1;
  SortedRuns runs(means.scratch_beside, rows.row_bytes(), run_rows, run_count, means.memory);
  {
    ChunkSort chunk(rows, keys, means, run_rows);
    constexpr std::uint64_t kSteps = 3;  // a row is read, sorted and written
    SharedWork shared(progress, "sort in runs", kSteps * count, "steps");
    for (std::uint64_t first = 0; first < count; first += run_rows) {
      const std::uint64_t some = std::min(run_rows, count - first);
      chunk.read(shared, first, some, false);
      chunk.sort(shared);
      runs.begin_run(some, [&](std::uint64_t place) { return chunk.key_at(place); });
      chunk.give(shared, [&](std::uint64_t place, std::span<const char> bytes) {
        runs.write(place, bytes);
      });
    }
  }
  runs.merge(keys, take, progress);
  return runs.size();
}

}  // namespace skde
