#pragma once

#include <cstdint>

#include "core/space/space.hpp"

/// Device code keeps small arrays in registers only where it unrolls their loops.
#if defined(__CUDACC__)
#define SKDE_UNROLLED _Pragma("unroll")
#else
#define SKDE_UNROLLED
#endif

namespace skde {

/// One pass over a grid of cells: blocks of 2^column_bits by 2^row_bits cells, from a place that
/// wraps around the edges, are cut into groups of four. The members of a group differ by two masks
/// of the bits of their places in the block. Adding a mask is its own inverse, so the groups part
/// the block without a list of them.
struct GroupPass {
  std::uint32_t width = 0, height = 0;  ///< of the grid
  std::uint32_t items = 0;              ///< the cells from here on are empty
  std::uint32_t first_x = 0, first_y = 0;
  std::uint32_t blocks_across = 0, blocks_down = 0;
  std::uint32_t column_bits = 0, row_bits = 0;
  std::uint32_t masks[2] = {};      ///< neither has the leading bit of the other
  std::uint32_t low = 0, high = 0;  ///< those leading bits, as positions, in ascending order

  SKDE_HOST_DEVICE std::uint32_t groups() const {
    return blocks_across * blocks_down << (column_bits + row_bits - 2);
  }
};

/// Moves the bits from position `at` on up by one.
SKDE_HOST_DEVICE inline std::uint32_t with_zero_at(std::uint32_t bits, std::uint32_t at) {
  const std::uint32_t below = (std::uint32_t{1} << at) - 1;
  return (bits & ~below) << 1 | (bits & below);
}

/// The cells of group `group` of a pass.
SKDE_HOST_DEVICE inline void cells_of_group(const GroupPass& pass, std::uint32_t group,
                                            std::uint32_t (&cells)[4]) {
  const std::uint32_t bits = pass.column_bits + pass.row_bits - 2;
  const std::uint32_t block = group >> bits;
  const std::uint32_t down = block / pass.blocks_across;
  const std::uint32_t x0 = ((block - down * pass.blocks_across) << pass.column_bits) + pass.first_x;
  const std::uint32_t y0 = (down << pass.row_bits) + pass.first_y;
  // The first member has neither leading bit: zeros are put there.
  std::uint32_t first = group & ((std::uint32_t{1} << bits) - 1);
  first = with_zero_at(first, pass.low);
  first = with_zero_at(first, pass.high);
  for (std::uint32_t k = 0; k < 4; ++k) {
    const std::uint32_t place =
        first ^ ((k & 1) != 0 ? pass.masks[0] : 0) ^ ((k & 2) != 0 ? pass.masks[1] : 0);
    std::uint32_t x = x0 + (place & ((std::uint32_t{1} << pass.column_bits) - 1));
    std::uint32_t y = y0 + (place >> pass.column_bits);
    if (x >= pass.width) x -= pass.width;
    if (y >= pass.height) y -= pass.height;
    cells[k] = y * pass.width + x;
  }
}

/// Which of four items goes to each of four cells: two bits a cell, from the lowest on.
inline constexpr std::uint32_t kAllInPlace = 0b11'10'01'00;
SKDE_HOST_DEVICE inline std::uint32_t item_for(std::uint32_t permutation, std::uint32_t cell) {
  return permutation >> (2 * cell) & 3;
}

/// Returns the best of the 24 permutations, by the sum of likeness[item][cell]. If none is better
/// than kAllInPlace, it is that. Items 0 and 1 share a pair of cells, and 2 and 3 the others; each
/// pair is solved alone.
SKDE_HOST_DEVICE inline std::uint32_t best_permutation(const float (&likeness)[4][4]) {
  constexpr int kPairs[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2},
                                {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};
  float most = (likeness[0][0] + likeness[1][1]) + (likeness[2][2] + likeness[3][3]);
  std::uint32_t best = kAllInPlace;
  SKDE_UNROLLED
  for (int pair = 0; pair < 6; ++pair) {
    const int a = kPairs[pair][0], b = kPairs[pair][1], c = kPairs[pair][2], d = kPairs[pair][3];
    const float ab = likeness[0][a] + likeness[1][b], ba = likeness[0][b] + likeness[1][a];
    const float cd = likeness[2][c] + likeness[3][d], dc = likeness[2][d] + likeness[3][c];
    const std::uint32_t upper = ab >= ba ? 1u << (2 * b) : 1u << (2 * a);
    const std::uint32_t lower =
        cd >= dc ? 2u << (2 * c) | 3u << (2 * d) : 3u << (2 * c) | 2u << (2 * d);
    const float sum = (ab >= ba ? ab : ba) + (cd >= dc ? cd : dc);
    if (sum > most) {
      most = sum;
      best = upper | lower;
    }
  }
  return best;
}

/// Keeps an empty cell empty: what would fill it from another cell is no choice.
SKDE_HOST_DEVICE inline void forbid_empty_cells(const std::uint32_t (&cells)[4],
                                                std::uint32_t items, float (&likeness)[4][4]) {
  constexpr float kNever = -1e30f;
  SKDE_UNROLLED
  for (int item = 0; item < 4; ++item) SKDE_UNROLLED
  for (int cell = 0; cell < 4; ++cell) {
    const bool empty = cells[item] >= items || cells[cell] >= items;
    if (empty) likeness[item][cell] = item == cell ? 0 : kNever;
  }
}

/// The cell that a blur takes for a cell: itself, or the one above an empty cell.
SKDE_HOST_DEVICE inline std::uint32_t filled_cell(std::uint32_t cell, std::uint32_t width,
                                                  std::uint32_t items) {
  return cell < items ? cell : cell - width;
}

}  // namespace skde
