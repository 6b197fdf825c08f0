#include "order/row_sort.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

#include "core/report/error.hpp"
#include "core/space/grid.hpp"
#include "io/bytes/scratch_file.hpp"
#include "order/row_buffer.hpp"
#include "order/shared_work.hpp"
#include "order/sorted_order.hpp"

namespace skde {
namespace {

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

/// Bytes that a thread takes for each row of a range, beside the row and its sorted copy.
constexpr std::size_t kRangeBytes = sizeof(std::uint64_t) + sizeof(std::uint32_t) + 2 * kOrderBytes;

/// A thread's memory for a range.
struct RangeMemory {
  std::vector<char> rows, sorted;
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> order;
  OrderMemory sorter;

  void make_room(std::size_t count, std::size_t row_bytes) {
    if (keys.size() >= count) return;
    rows.resize(count * row_bytes);
    sorted.resize(count * row_bytes);
    keys.resize(count);
    order.resize(count);
  }
};

SortedRuns::SortedRuns(const std::string& beside, std::size_t row_bytes, std::uint64_t run_rows,
                       std::uint64_t runs, std::int64_t memory)
    : file_(beside, row_bytes * run_rows * runs), row_bytes_(row_bytes) {
  // Ranges fit into a core's cache, unless that many runs would leave too few rows of each. A range
  // may have a row more than planned between two marks of each run, so three quarters are planned.
  constexpr std::uint64_t kCacheBytes = std::uint64_t{1} << 21, kRowsOfRun = 512;
  const auto memory_bytes = static_cast<std::uint64_t>(memory) / SharedWork::threads();
  const std::uint64_t most = memory_bytes / (2 * row_bytes + kRangeBytes);
  range_rows_ = std::max(kCacheBytes / row_bytes, 4 * kRowsOfRun * runs);
  range_rows_ = std::clamp<std::uint64_t>(range_rows_, 1, std::max<std::uint64_t>(most, 1));
  mark_rows_ = std::clamp<std::uint64_t>(range_rows_ / (4 * runs), 1, run_rows);
}

void SortedRuns::write(std::uint64_t first, std::span<const char> rows) {
  const std::uint64_t row = first_row(ends_.size() - 1) + first;
  file_.write(row * row_bytes_, rows.data(), rows.size());
}

std::uint64_t SortedRuns::key_of(std::uint64_t row, RowKeys& keys) const {
  std::vector<char> bytes(row_bytes_);
  file_.read(row * row_bytes_, bytes.data(), bytes.size());
  std::uint64_t key = 0;
  keys.write(row, bytes.data(), {&key, 1});
  return key;
}

/// Returns how many rows of a run come before a marked row, given the marks of this run.
std::uint64_t SortedRuns::rows_before(const Mark& mark, std::uint64_t run,
                                      std::span<const Mark> own, RowKeys& keys) const {
  if (run == mark.run) return mark.place;
  // Rows with the same key keep the order of their runs.
  const auto is_before = [&](std::uint64_t key) {
    return run < mark.run ? key <= mark.key : key < mark.key;
  };
  const auto after =
      std::ranges::partition_point(own, [&](const Mark& one) { return is_before(one.key); });
  if (after == own.begin()) return 0;
  std::uint64_t low = std::prev(after)->place + std::uint64_t{1};
  std::uint64_t high = after == own.end() ? ends_[run] - first_row(run) : after->place;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (is_before(key_of(first_row(run) + middle, keys)))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void SortedRuns::merge(RowKeys& keys, const TakeRows& take, Progress& progress) {
  const std::uint64_t runs = ends_.size();
  std::vector<std::vector<Mark>> own(runs);
  for (const Mark& mark : marks_) own[mark.run].push_back(mark);
  std::ranges::sort(marks_);
  // The marks that begin ranges; each stands for mark_rows_ rows.
  const std::uint64_t step = std::max<std::uint64_t>(1, 3 * range_rows_ / 4 / mark_rows_);
  std::vector<Mark> parting;
  for (std::uint64_t i = step; i < marks_.size(); i += step) parting.push_back(marks_[i]);
  marks_ = {};
  const std::uint64_t ranges = parting.size() + 1;
  // Rows of each run before each range, and before the end.
  std::vector<std::uint64_t> before((ranges + 1) * runs);
  for (std::uint64_t run = 0; run < runs; ++run)
    before[ranges * runs + run] = ends_[run] - first_row(run);
  SharedWork work(progress, "merge the runs", rows_);
  work.each(parting.size(), [&](std::uint64_t i, std::size_t) {
    for (std::uint64_t run = 0; run < runs; ++run)
      before[(i + 1) * runs + run] = rows_before(parting[i], run, own[run], keys);
    return 0;
  });
  std::vector<std::uint64_t> firsts(ranges + 1);
  for (std::uint64_t range = 0; range <= ranges; ++range)
    for (std::uint64_t run = 0; run < runs; ++run) firsts[range] += before[range * runs + run];
  std::vector<RangeMemory> memories(SharedWork::threads());
  work.each(ranges, [&](std::uint64_t range, std::size_t thread) {
    RangeMemory& memory = memories[thread];
    const auto count = static_cast<std::size_t>(firsts[range + 1] - firsts[range]);
    memory.make_room(count, row_bytes_);
    char* to = memory.rows.data();
    for (std::uint64_t run = 0; run < runs; ++run) {
      const std::uint64_t* const begin = &before[range * runs + run];
      const auto bytes = static_cast<std::size_t>(begin[runs] - begin[0]) * row_bytes_;
      if (bytes == 0) continue;
      file_.read((first_row(run) + begin[0]) * row_bytes_, to, bytes);
      to += bytes;
    }
    // The sort is stable, and rows are there run by run.
    const std::span found = std::span(memory.keys).first(count);
    keys.write(0, memory.rows.data(), found);
    if (std::ranges::is_sorted(found)) {
      take(firsts[range], std::span(memory.rows).first(count * row_bytes_));
      return count;
    }
    const std::span order = std::span(memory.order).first(count);
    memory.sorter.sort(found, order);
    gather_rows(memory.rows.data(), row_bytes_, order, memory.sorted.data());
    take(firsts[range], std::span(memory.sorted).first(count * row_bytes_));
    return count;
  });
}

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
