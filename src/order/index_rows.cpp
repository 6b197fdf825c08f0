#include "order/index_rows.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "io/points/record_files.hpp"
#include "order/shared_work.hpp"

namespace skde {

io::RowIndex index_rows(const std::string& path, const io::ColumnSelection& columns,
                        Progress& progress) {
  io::ColumnSelection positions = columns;
  positions.keeps_degrees = true;
  const std::unique_ptr<io::RecordFiles> file = io::RecordFiles::open({path}, positions);
  const io::RecordLayout& layout = file->layout();
  constexpr std::uint64_t kRows = io::RowIndex::kRowsABlock;
  const std::uint64_t blocks = (file->rows() + kRows - 1) / kRows;
  /// What is known of a block, and its rows, until all blocks before it are in the index.
  struct Block {
    io::RowBlock found;
    std::vector<double> xyz;
  };
  std::vector<Block> some(2 * SharedWork::threads());
  std::vector<std::vector<char>> memories(SharedWork::threads());
  io::RowIndexBuilder builder(kRows, io::rows_a_piece_of(file->rows()));
  SharedWork shared(progress, "index the rows", file->rows());
  for (std::uint64_t first = 0; first < blocks; first += some.size()) {
    const std::uint64_t count = std::min<std::uint64_t>(some.size(), blocks - first);
    shared.each(count, [&](std::uint64_t i, std::size_t thread) {
      const std::uint64_t row = (first + i) * kRows;
      const auto rows = static_cast<std::size_t>(std::min(kRows, file->rows() - row));
      std::vector<char>& bytes = memories[thread];
      bytes.resize(rows * layout.stride);
      file->read(row, rows, bytes.data());
      Block& block = some[static_cast<std::size_t>(i)];
      block.xyz.resize(3 * rows);
      for (std::size_t axis = 0; axis < 3; ++axis)
        io::convert_field(layout, layout.xyz[axis], bytes.data(), rows, block.xyz.data() + axis, 3);
      block.found = builder.block_of(block.xyz);
      return rows;
    });
    for (std::uint64_t i = 0; i < count; ++i) {
      const Block& block = some[static_cast<std::size_t>(i)];
      builder.add(block.found, block.xyz);
    }
  }
  std::array<std::uint64_t, 3> numbers{};
  for (std::size_t axis = 0; axis < 3; ++axis) numbers[axis] = file->columns().xyz[axis].number;
  return builder.finish(std::filesystem::file_size(path), numbers);
}

}  // namespace skde
