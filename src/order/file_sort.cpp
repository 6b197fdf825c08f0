#include "order/file_sort.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>

#include "core/space/grid.hpp"
#include "io/bytes/input_stamps.hpp"
#include "io/bytes/output_file.hpp"
#include "io/points/point_table.hpp"
#include "io/points/point_writer.hpp"
#include "io/points/readers/record_reader.hpp"
#include "io/points/record_files.hpp"
#include "io/points/row_index.hpp"
#include "io/text/text_fields.hpp"
#include "order/row_sort.hpp"
#include "system/host_memory.hpp"

namespace skde {
namespace {

/// Makes the index of a file while its rows are written, in any order.
class RowIndexing {
 public:
  /// The file has so many rows of this layout, which must outlive this object.
  RowIndexing(std::uint64_t rows, const io::RecordLayout& layout);

  /// Takes the rows from `first` (from 0) on. May be called by any thread; each row comes once.
  void take(std::uint64_t first, std::span<const char> rows);
  /// Returns the index, once all rows have come. x, y and z are in these columns of the file.
  io::RowIndex finish(std::uint64_t file_bytes, const std::array<std::uint64_t, 3>& columns);

 private:
  /// A block that is not in the index yet.
  struct Block {
    std::vector<double> xyz;
    std::size_t here = 0;  ///< rows that have come
    bool is_known = false;
    io::RowBlock known{};
  };
  std::size_t rows_of(std::uint64_t block) const;
  Block& block_at(std::uint64_t block);
  void complete(Block& block);

  std::uint64_t rows_;
  const io::RecordLayout& layout_;
  io::RowIndexBuilder builder_;
  std::mutex mutex_;
  std::map<std::uint64_t, Block> waiting_;
  std::uint64_t next_ = 0;  ///< the block that the index takes next
  bool adds_ = false;       ///< a thread is adding blocks to the index
};

constexpr std::uint64_t kRowsABlock = io::RowIndex::kRowsABlock;

RowIndexing::RowIndexing(std::uint64_t rows, const io::RecordLayout& layout)
    : rows_(rows), layout_(layout), builder_(kRowsABlock, io::rows_a_piece_of(rows)) {}

std::size_t RowIndexing::rows_of(std::uint64_t block) const {
  return static_cast<std::size_t>(std::min(kRowsABlock, rows_ - block * kRowsABlock));
}

RowIndexing::Block& RowIndexing::block_at(std::uint64_t block) {
  const std::lock_guard lock(mutex_);
  Block& found = waiting_[block];
  if (found.xyz.empty()) found.xyz.resize(3 * rows_of(block));
  return found;
}

void RowIndexing::take(std::uint64_t first, std::span<const char> rows) {
  while (!rows.empty()) {
    const std::uint64_t number = first / kRowsABlock;
    const auto at = static_cast<std::size_t>(first % kRowsABlock);
    const std::size_t some = std::min(rows.size() / layout_.stride, rows_of(number) - at);
    Block& block = block_at(number);
    for (std::size_t axis = 0; axis < 3; ++axis)
      io::convert_field(layout_, layout_.xyz[axis], rows.data(), some,
                        block.xyz.data() + 3 * at + axis, 3);
    bool is_complete = false;
    {
      const std::lock_guard lock(mutex_);
      block.here += some;
      is_complete = block.here == rows_of(number);
    }
    if (is_complete) complete(block);
    first += some;
    rows = rows.subspan(some * layout_.stride);
  }
}

/// Blocks enter the index in their order. One thread adds those whose turn has come, while others
/// go on.
void RowIndexing::complete(Block& block) {
  io::RowBlock known = builder_.block_of(block.xyz);
  std::unique_lock lock(mutex_);
  block.known = std::move(known);
  block.is_known = true;
  if (adds_) return;
  adds_ = true;
  while (!waiting_.empty() && waiting_.begin()->first == next_ &&
         waiting_.begin()->second.is_known) {
    const auto taken = waiting_.extract(waiting_.begin());
    lock.unlock();
    builder_.add(taken.mapped().known, taken.mapped().xyz);
    lock.lock();
    ++next_;
  }
  adds_ = false;
}

io::RowIndex RowIndexing::finish(std::uint64_t file_bytes,
                                 const std::array<std::uint64_t, 3>& columns) {
  return builder_.finish(file_bytes, columns);
}

OrderBy order_by(const std::string& word) {
  for (const auto& [name, by] : kOrders)
    if (word == name) return by;
  return OrderBy::column;
}

/// Bytes for rows. The other half of what is available is left for the output, which may be in a
/// file system in memory.
std::int64_t memory_for_rows(std::int64_t limit) {
  constexpr std::int64_t kOwnBytes = std::int64_t{96} << 20;  // program, libraries, threads
  const std::int64_t bytes = limit > 0 ? limit : available_memory() / 2;
  return bytes - std::min(kOwnBytes, bytes / 2);
}

std::string extension_of(const std::string& path) {
  return io::lower_case(std::filesystem::path(path).extension().string());
}

/// The columns to read: coordinates in degrees are ordered as they are.
io::ColumnSelection selection_of(const FileSort& job) {
  io::ColumnSelection columns = job.columns;
  columns.keeps_degrees = true;
  if (order_by(job.by) == OrderBy::column) columns.others = {job.by};
  return columns;
}

void require_same_format(const FileSort& job, const io::RecordFiles& files) {
  if (extension_of(job.output) == files.extension()) return;
  throw Error(
      ErrorKind::usage,
      fmt::format("{}: the rows of {} keep their types only in a file whose name ends in {}",
                  job.output, job.inputs.front(), files.extension()),
      {"output", fmt::format("name the output with {}", files.extension())});
}

/// Writes the index of a file that is complete. `columns` are the numbers (from 1) of x, y and z.
/// Returns the number of blocks.
std::uint64_t write_index(const std::string& path, RowIndexing& indexing,
                          const std::array<std::uint64_t, 3>& columns) {
  const io::RowIndex index = indexing.finish(std::filesystem::file_size(path), columns);
  io::write_row_index(path, index);
  return index.blocks.size();
}

FileSortFacts sort_records(const FileSort& job, const io::RecordFiles& files,
                           const io::InputStamps& stamps, KeySorter& sorter, Progress& progress) {
  require_same_format(job, files);
  FileSortFacts facts{.rows = files.rows(), .device = {}, .columns = files.columns()};
  const std::size_t row_bytes = files.row_bytes();
  const std::uint64_t head = files.head().size(), bytes = files.rows() * row_bytes;
  const std::int64_t memory = memory_for_rows(job.memory_limit);
  const bool fits = files.rows() <= rows_in_memory(row_bytes, memory);
  io::require_room(job.output, head + (fits ? bytes : 2 * bytes) + files.tail().size(),
                   {{},
                    fits ? "use another disk"
                         : "use another disk; runs of sorted rows take as much as the output"});
  io::OutputFile output(job.output);
  output.resize(head + bytes + files.tail().size());
  output.overwrite(0, files.head().data(), files.head().size());
  output.overwrite(head + bytes, files.tail().data(), files.tail().size());
  RowKeys keys(files, files.layout(), order_by(job.by), job.reverse);
  std::optional<RowIndexing> indexing;
  if (job.index) indexing.emplace(files.rows(), files.layout());
  facts.runs = sort_rows(
      files, keys, {.sorter = sorter, .memory = memory, .scratch_beside = job.output},
      [&](std::uint64_t first, std::span<const char> rows) {
        output.overwrite(head + first * row_bytes, rows.data(), rows.size());
        if (indexing) indexing->take(first, rows);
      },
      progress);
  stamps.require_unchanged();
  facts.device = sorter.device();
  output.commit();
  std::array<std::uint64_t, 3> numbers{};
  for (std::size_t axis = 0; axis < 3; ++axis) numbers[axis] = files.columns().xyz[axis].number;
  if (indexing) facts.index_blocks = write_index(job.output, *indexing, numbers);
  return facts;
}

/// The rows of files in memory, as doubles.
class TableRows final : public io::RowSource {
 public:
  TableRows(const std::vector<std::string>& paths, const std::string& output,
            io::ColumnSelection columns, std::int64_t memory, Progress& progress) {
    columns.keeps_lines = io::keeps_lines(output);
    std::size_t kept = 0;
    const auto most = static_cast<std::size_t>(memory);
    for (const std::string& path : paths) {
      io::PointTable table =
          io::read_point_table(path, columns, progress, {}, {.bytes = most - kept});
      if (!table.left_out.empty())
        throw Error(ErrorKind::input,
                    fmt::format("{}: these hold more than numbers and would be lost: {}", path,
                                fmt::join(table.left_out, ", ")),
                    {{}, "remove it, or write it as columns of numbers"});
      warnings = io::carried_warnings(output, table, true);
      if (!tables_.empty() && (table.names != tables_.front().names ||
                               table.carried.names != tables_.front().carried.names))
        throw Error(ErrorKind::input,
                    fmt::format("{}: its columns differ from those of {}", path, paths.front()),
                    {{}, "save both with the same columns"});
      firsts_.push_back(rows_);
      paths_.push_back(path);
      rows_ += table.rows();
      kept += table.bytes;
      tables_.push_back(std::move(table));
      if (kept > most || rows_ > rows_in_memory(row_bytes() + kPlaceBytes,
                                                memory - static_cast<std::int64_t>(kept)))
        throw Error(ErrorKind::resources,
                    fmt::format("{}: the rows do not fit into the memory for them, {}", path,
                                format_bytes(static_cast<double>(memory))),
                    {"memory_limit", "raise `memory_limit`, or save them as NPY"});
    }
  }

  std::vector<Warning> warnings{};  ///< of what becomes of them
  const io::PointTable& first() const { return tables_.front(); }
  std::uint64_t rows() const override { return rows_; }
  /// Its number follows a row's values.
  std::size_t row_bytes() const override {
    return tables_.front().names.size() * sizeof(double) + sizeof(std::uint64_t);
  }
  void read(std::uint64_t first, std::size_t count, char* to) const override {
    const std::size_t own = row_bytes() - sizeof(std::uint64_t);
    for (std::size_t i = 0; i < count; ++i, to += row_bytes()) {
      const std::uint64_t number = row_at(first + i);
      const std::size_t table = table_of(number);
      const auto row = static_cast<std::size_t>(number - firsts_[table]);
      std::memcpy(to, &tables_[table].values[row * tables_[table].names.size()], own);
      std::memcpy(to + own, &number, sizeof(number));
    }
  }
  /// Puts rows with equal doubles in the column of the key in the order of their whole numbers.
  void order_rests(bool reverse) {
    if (std::ranges::all_of(tables_, [](const auto& table) { return table.carried.rests.empty(); }))
      return;
    std::vector<double> rests;
    for (const io::PointTable& table : tables_)
      for (std::size_t row = 0; row < table.rows(); ++row)
        rests.push_back((reverse ? -1 : 1) * table.carried.rest_of(row, table.others.back()));
    order_.resize(rests.size());
    std::iota(order_.begin(), order_.end(), std::uint64_t{0});
    std::ranges::stable_sort(order_, {}, [&](std::uint64_t row) { return rests[row]; });
  }
  void write(std::uint64_t number, io::PointWriter& writer) const {
    const std::size_t table = table_of(number);
    writer.write_row(tables_[table], static_cast<std::size_t>(number - firsts_[table]));
  }
  std::string place_of(std::uint64_t row) const override {
    const std::uint64_t number = row_at(row);
    const std::size_t table = table_of(number);
    return fmt::format("{}: row {}", paths_[table], number - firsts_[table] + 1);
  }

 private:
  static constexpr std::size_t kPlaceBytes = 24;  ///< a row: its rest, and its place in two orders

  std::size_t table_of(std::uint64_t row) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(firsts_, row) - firsts_.begin()) - 1;
  }

  std::uint64_t row_at(std::uint64_t place) const {
    return order_.empty() ? place : order_[static_cast<std::size_t>(place)];
  }

  std::vector<io::PointTable> tables_;
  std::vector<std::uint64_t> order_;   ///< of all rows; empty: as they are
  std::vector<std::uint64_t> firsts_;  ///< rows before each table
  std::vector<std::string> paths_;
  std::uint64_t rows_ = 0;
};

io::RecordLayout layout_of(const io::PointTable& table) {
  io::RecordLayout layout;
  layout.stride = table.names.size() * sizeof(double) + sizeof(std::uint64_t);
  for (std::size_t axis = 0; axis < 3; ++axis)
    layout.xyz[axis].offset = table.xyz[axis] * sizeof(double);
  for (const std::size_t column : table.others)
    layout.widths.push_back({.offset = column * sizeof(double)});
  return layout;
}

FileSortFacts sort_table(const FileSort& job, KeySorter& sorter, Progress& progress) {
  io::require_point_extension(job.output);
  const std::int64_t memory = memory_for_rows(job.memory_limit);
  TableRows rows(job.inputs, job.output, selection_of(job), memory, progress);
  if (order_by(job.by) == OrderBy::column) rows.order_rests(job.reverse);
  FileSortFacts facts{.rows = rows.rows(),
                      .device = sorter.device(),
                      .keeps_bytes = false,
                      .columns = rows.first().columns,
                      .warnings = rows.warnings};
  std::vector<std::uint64_t> sorted(static_cast<std::size_t>(rows.rows()));
  const io::RecordLayout layout = layout_of(rows.first());
  RowKeys keys(rows, layout, order_by(job.by), job.reverse);
  std::optional<RowIndexing> indexing;
  if (job.index) indexing.emplace(rows.rows(), layout);
  sort_rows(
      rows, keys, {.sorter = sorter, .memory = memory, .scratch_beside = job.output},
      [&](std::uint64_t first, std::span<const char> bytes) {
        for (std::size_t i = 0; i < bytes.size() / layout.stride; ++i)
          std::memcpy(&sorted[static_cast<std::size_t>(first) + i],
                      bytes.data() + (i + 1) * layout.stride - sizeof(std::uint64_t),
                      sizeof(std::uint64_t));
        if (indexing) indexing->take(first, bytes);
      },
      progress);
  io::PointWriter writer(job.output, rows.rows(),
                         io::written_names(rows.first(), rows.first().names));
  for (const std::uint64_t number : sorted) rows.write(number, writer);
  writer.finish();
  std::array<std::uint64_t, 3> numbers{};
  for (std::size_t axis = 0; axis < 3; ++axis) numbers[axis] = rows.first().xyz[axis] + 1;
  if (indexing) facts.index_blocks = write_index(job.output, *indexing, numbers);
  const bool same_text =
      io::is_text_file(job.output) && job.inputs.front().ends_with(extension_of(job.output));
  if (!same_text && rows.first().carried.lines.empty())
    facts.warnings.push_back({"types",
                              "the columns were written as doubles, whatever their types were",
                              {{}, "NPY, binary PLY and LAS files keep their types"}});
  return facts;
}

}  // namespace

FileSortFacts sort_files(const FileSort& job, KeySorter& sorter, Progress& progress) {
  if (job.index && extension_of(job.output) != ".npy")
    throw Error(ErrorKind::usage,
                fmt::format("{}: only an NPY file has an index beside it", job.output),
                {"index", "name an output that ends in .npy, or drop `index`"});
  if (job.index) io::require_description(job.output);
  const io::InputStamps stamps(job.inputs);
  try {
    const auto files = io::RecordFiles::open(job.inputs, selection_of(job));
    if (!files) return sort_table(job, sorter, progress);
    return sort_records(job, *files, stamps, sorter, progress);
  } catch (const Error& error) {
    throw error.renaming("value", "by");
  }
}

}  // namespace skde
