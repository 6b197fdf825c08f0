#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "io/points/record_reader.hpp"
#include "io/points/row_index.hpp"

namespace skde {

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

}  // namespace skde
