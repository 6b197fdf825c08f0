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

}  // namespace

std::uint64_t BlockChoice::read_rows() const {
  std::uint64_t rows = 0;
  for (const io::RowRange& range : read) rows += range.rows;
  return rows;
}

double BlockChoice::share() const {
  return static_cast<double>(read_rows()) / static_cast<double>(file_rows);
}

std::string BlockChoice::describe() const {
  return fmt::format("{} of {} blocks ({:.2g} %)", grouped(read.size()), grouped(blocks),
                     100 * share());
}

Box grown(const Box& box, Vec3 by) { return {box.lower - by, box.upper + by}; }

BlockChoice choose_blocks(const io::RowIndex& index, const Box& box, std::uint64_t samples_a_part) {
  BlockChoice choice;
  choice.blocks = index.blocks.size();
  choice.file_rows = index.rows;
  std::uint64_t row = 0, sample = 0;  // the first of the block, in the file
  std::uint64_t part = 0;             // of the last sample that is read
  std::size_t samples = 0;            // that are read
  for (const io::RowBlock& block : index.blocks) {
    if (block.samples > 0 && meet(block.box, box)) {
      choice.read.push_back({row, block.rows, block.samples, block.hash});
      for (std::uint64_t taken = 0; taken < block.samples;) {
        const std::uint64_t at = sample + taken;
        const std::uint64_t in = samples_a_part > 0 ? at / samples_a_part : 0;
        const std::uint64_t left =
            samples_a_part > 0 ? (in + 1) * samples_a_part - at : block.samples;
        if (in != part && samples > 0) choice.part_ends.push_back(samples);
        part = in;
        const std::uint64_t more = std::min(left, block.samples - taken);
        taken += more;
        samples += static_cast<std::size_t>(more);
      }
    } else {
      choice.skipped_samples += block.samples;
    }
    row += block.rows;
    sample += block.samples;
  }
  if (samples > 0) choice.part_ends.push_back(samples);
  return choice;
}

BlockChoice choose_faces(const io::RowIndex& index, const Box& box, std::uint64_t& inside) {
  BlockChoice choice;
  choice.blocks = index.blocks.size();
  choice.file_rows = index.rows;
  std::uint64_t row = 0;
  for (const io::RowBlock& block : index.blocks) {
    const bool meets = block.samples > 0 && meet(block.box, box);
    if (meets && box.holds(block.box.lower) && box.holds(block.box.upper))
      inside += block.samples;
    else if (meets)
      choice.read.push_back({row, block.rows, block.samples, block.hash});
    row += block.rows;
  }
  return choice;
}

}  // namespace skde
