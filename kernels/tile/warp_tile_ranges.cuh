#pragma once

#include <cstdint>

#include "kernels/ranges/warp_ranges.cuh"
#include "kernels/tile/warp_tile_sums.hpp"

/// Finds the candidates of a block of tiles among the sorted samples.
namespace skde::kernels {

/// Returns the candidates that one item sums: a power of two, chosen so that the sums of all items
/// that share their block with others have room.
__device__ inline std::uint32_t candidates_of_item(const WarpTilePlan& plan,
                                                   unsigned long long all) {
  constexpr unsigned long long kSmallest = 1024;
  unsigned long long item = kSmallest;
  while (2 * all / item > plan.shared_items()) item *= 2;
  return item < 0x80000000u ? static_cast<std::uint32_t>(item) : 0x80000000u;
}

/// Returns the length of the list of items.
__device__ inline std::uint32_t most_items(const WarpTilePlan& plan, TileWindow window) {
  return static_cast<std::uint32_t>(window.blocks + plan.shared_items());
}

/// The rows of coarse cells of a class, each [x0, x1], whose samples may reach a block.
struct CandidateRows {
  std::int32_t x0, x1, y0, ny, z0, nz;

  __device__ int count() const { return ny * nz; }
};

__device__ inline void coarse_interval(const WarpTilePlan& plan, const ReachClass& of, int axis,
                                       std::int32_t first, std::int32_t cells, std::int32_t reach,
                                       std::int32_t& begin, std::int32_t& end) {
  const CoarseCells& c = of.coarse;
  const std::int32_t past = min(first + cells, plan.dims[axis]);
  const std::int64_t low = max(std::int64_t{first} - reach - c.origin[axis], std::int64_t{0});
  const std::int64_t high = std::int64_t{past} - 1 + reach - c.origin[axis];
  begin = static_cast<std::int32_t>(low >> c.shift[axis]);
  end = static_cast<std::int32_t>(min(high >> c.shift[axis], std::int64_t{c.dims[axis]} - 1)) + 1;
}

/// Returns no rows if the class is empty.
__device__ inline CandidateRows candidate_rows(const WarpTilePlan& plan, int place,
                                               const std::int32_t* reach, const TilePlace& at) {
  CandidateRows rows{};
  const std::int32_t* const r = reach + 3 * place;
  if (r[0] == 0) return rows;
  const ReachClass& of = plan.reach_class[place];
  std::int32_t end;
  coarse_interval(plan, of, 0, at.x, plan.block.x * kWarpTileX, r[0], rows.x0, end);
  rows.x1 = end - 1;
  coarse_interval(plan, of, 1, at.y, plan.block.y * kWarpTileY, r[1], rows.y0, end);
  rows.ny = end - rows.y0;
  coarse_interval(plan, of, 2, at.z, kWarpTileZ, r[2], rows.z0, end);
  rows.nz = end - rows.z0;
  return rows;
}

__device__ inline CandidateRange range_at(const ReachClass& of, const CandidateRows& rows,
                                          const std::uint32_t* starts, int row) {
  if (row >= rows.count()) return {};
  const int dz = row / rows.ny, dy = row - dz * rows.ny;
  const std::int64_t first =
      of.first + (static_cast<std::int64_t>(rows.z0 + dz) * of.coarse.dims[1] + rows.y0 + dy) *
                     of.coarse.dims[0];
  const std::uint32_t begin = starts[first + rows.x0];
  return {begin, starts[first + rows.x1 + 1] - begin};
}

}  // namespace skde::kernels
