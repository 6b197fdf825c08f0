#include "order/index_rows.hpp"

#include <algorithm>

namespace skde {
namespace {

constexpr std::uint64_t kRowsABlock = io::RowIndex::kRowsABlock;

}  // namespace

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

}  // namespace skde
