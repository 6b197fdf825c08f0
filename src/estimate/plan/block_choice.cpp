#include "estimate/plan/block_choice.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "io/points/row_index.hpp"

namespace skde {
namespace {

bool meet(const Box& a, const Box& b) {
  bool meet = true;
  for (int axis = 0; axis < 3; ++axis)
    meet = meet && a.lower[axis] <= b.upper[axis] && a.upper[axis] >= b.lower[axis];
  return meet;
}

/// Puts a comma between groups of three digits.
std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

using io::RowRange;

BlockChoice choice_of(const io::RowIndex& index) {
  BlockChoice choice;
  choice.blocks = index.blocks.size();
  choice.file_rows = index.rows;
  return choice;
}

/// Returns the rows of a block whose boxes are wanted: the block, or runs of its pieces. `row` is
/// its first.
template <class Wanted>
std::vector<RowRange> ranges_in(const io::RowIndex& index, const io::RowBlock& block,
                                std::uint64_t row, const Wanted& wanted) {
  if (block.samples == 0) return {};
  const RowRange whole{row, block.rows, block.samples, block.hash};
  if (block.pieces.empty()) return wanted(block.box) ? std::vector{whole} : std::vector<RowRange>{};
  std::vector<RowRange> ranges;
  io::RangeHash hash(index.rows_a_piece);
  for (std::size_t i = 0; i < block.pieces.size(); ++i) {
    const io::RowPiece& piece = block.pieces[i];
    if (!wanted(piece.box_in(block.box))) continue;
    const std::uint64_t first = i * index.rows_a_piece,
                        rows = std::min(index.rows_a_piece, block.rows - first);
    const bool goes_on = !ranges.empty() && ranges.back().first + ranges.back().rows == row + first;
    if (!goes_on) {
      hash = io::RangeHash(index.rows_a_piece);
      ranges.push_back({.first = row + first, .rows_a_piece = index.rows_a_piece});
    }
    hash.add_piece(piece.hash);
    RowRange& range = ranges.back();
    range.rows += rows;
    range.samples += rows;
    range.hash = hash.value();
  }
  if (ranges.size() == 1 && ranges[0].rows == block.rows) ranges[0] = whole;
  return ranges;
}

/// Divides samples that are read where the whole cloud would be divided.
class PartDivision {
 public:
  explicit PartDivision(std::uint64_t samples_a_part) : most_(samples_a_part) {}

  /// Adds `count` samples from this one of the cloud on. Appends the ends of parts before them.
  void add(std::uint64_t sample, std::uint64_t count, std::vector<std::size_t>& ends) {
    while (count > 0) {
      const std::uint64_t part = most_ > 0 ? sample / most_ : 0;
      const std::uint64_t more = most_ > 0 ? std::min((part + 1) * most_ - sample, count) : count;
      if (part != part_) finish(ends);
      part_ = part;
      samples_ += static_cast<std::size_t>(more);
      sample += more;
      count -= more;
    }
  }
  /// Appends the end of the last part.
  void finish(std::vector<std::size_t>& ends) const {
    if (samples_ > (ends.empty() ? 0 : ends.back())) ends.push_back(samples_);
  }

 private:
  std::uint64_t most_, part_ = 0;  ///< of the last sample
  std::size_t samples_ = 0;        ///< that are read
};

}  // namespace

void BlockChoice::add(const std::vector<io::RowRange>& of_block) {
  read_blocks += of_block.empty() ? 0 : 1;
  read.insert(read.end(), of_block.begin(), of_block.end());
}

std::uint64_t BlockChoice::read_rows() const {
  std::uint64_t rows = 0;
  for (const io::RowRange& range : read) rows += range.rows;
  return rows;
}

double BlockChoice::share() const {
  return static_cast<double>(read_rows()) / static_cast<double>(file_rows);
}

std::string BlockChoice::describe() const {
  const double box = 100 * static_cast<double>(box_rows) / static_cast<double>(file_rows);
  const std::string of_reach =
      box_rows < read_rows() ? fmt::format("; {:.2g} % without the kernels' reach", box) : "";
  return fmt::format("{} of {} blocks ({:.2g} % of the rows{})", grouped(read_blocks),
                     grouped(blocks), 100 * share(), of_reach);
}

Box grown(const Box& box, Vec3 by) { return {box.lower - by, box.upper + by}; }

BlockChoice choose_blocks(const io::RowIndex& index, const Box& box, Vec3 reach,
                          std::uint64_t samples_a_part) {
  BlockChoice choice = choice_of(index);
  PartDivision division(samples_a_part);
  const Box all = grown(box, reach);
  std::uint64_t row = 0, sample = 0;  // the first of the block, in the file
  for (const io::RowBlock& block : index.blocks) {
    const std::vector<RowRange> ranges =
        ranges_in(index, block, row, [&](const Box& part) { return meet(part, all); });
    std::uint64_t taken = 0;
    for (const RowRange& range : ranges) {
      division.add(sample + (range.first - row), range.samples, choice.part_ends);
      taken += range.samples;
    }
    choice.add(ranges);
    for (const RowRange& range :
         ranges_in(index, block, row, [&](const Box& part) { return meet(part, box); }))
      choice.box_rows += range.rows;
    choice.skipped_samples += block.samples - taken;
    row += block.rows;
    sample += block.samples;
  }
  division.finish(choice.part_ends);
  return choice;
}

BlockChoice choose_faces(const io::RowIndex& index, const Box& box, std::uint64_t& inside) {
  BlockChoice choice = choice_of(index);
  std::uint64_t row = 0;
  const auto is_inside = [&](const Box& part) {
    return box.holds(part.lower) && box.holds(part.upper);
  };
  for (const io::RowBlock& block : index.blocks) {
    if (is_inside(block.box)) {
      inside += block.samples;
    } else {
      choice.add(ranges_in(index, block, row,
                           [&](const Box& part) { return meet(part, box) && !is_inside(part); }));
      for (const RowRange& range : ranges_in(index, block, row, is_inside)) inside += range.samples;
    }
    row += block.rows;
  }
  choice.box_rows = choice.read_rows();
  return choice;
}

}  // namespace skde
