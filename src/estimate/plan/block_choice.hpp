#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/space.hpp"
#include "io/points/reading_choices.hpp"

namespace skde {

namespace io {
struct RowIndex;
}

/// The blocks of an indexed file that are read; all others are known not to matter.
struct BlockChoice {
  std::uint64_t blocks = 0;              ///< of the file
  std::uint64_t file_rows = 0;           ///< of all blocks
  std::vector<io::RowRange> read{};      ///< one range a block, in the order of the file
  std::uint64_t skipped_samples = 0;     ///< of the blocks that are not read
  std::vector<std::size_t> part_ends{};  ///< of the samples that are read; see choose_blocks()

  std::uint64_t read_rows() const;
  std::size_t read_samples() const { return part_ends.empty() ? 0 : part_ends.back(); }
  /// Returns the share of the file's rows that are read.
  double share() const;
  /// Says how many blocks are read of how many: "12 of 1,200 blocks (1 %)".
  std::string describe() const;

  friend bool operator==(const BlockChoice&, const BlockChoice&) = default;
};

/// Chooses the blocks that reach the box. The samples that are read are divided where the whole
/// cloud would be divided into parts of `samples_a_part` (0: it is one part), so that engines add
/// them in the same groups. Parts without any sample are left out.
BlockChoice choose_blocks(const io::RowIndex& index, const Box& box, std::uint64_t samples_a_part);

/// Chooses the blocks that are partly in the box. Adds the samples of those that are wholly inside
/// to `inside`; they are not read.
BlockChoice choose_faces(const io::RowIndex& index, const Box& box, std::uint64_t& inside);

/// Returns the box with every face moved outwards.
Box grown(const Box& box, Vec3 by);

}  // namespace skde
