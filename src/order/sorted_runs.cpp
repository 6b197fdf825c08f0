#include "order/sorted_runs.hpp"

#include <algorithm>
#include <array>

#include "order/row_buffer.hpp"
#include "order/shared_work.hpp"
#include "order/sorted_order.hpp"

namespace skde {
namespace {

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

}  // namespace

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
  // Of rows with the same key, those of earlier runs come first.
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

}  // namespace skde
