#pragma once

#include <cstdint>

#include "kernels/span/row_spans.hpp"

/// The place of a tile and the coarse cells of its candidates; used by the listing of items and by
/// the accumulation.
namespace skde::kernels {

struct Tile {
  std::int32_t x, y, z;  ///< first cell
};

/// Returns tile `index` of the window.
__device__ inline Tile tile_at(const SpanPlan& plan, SpanWindow window, std::uint32_t index) {
  const auto nx = static_cast<std::uint32_t>(plan.tiles[0]),
             ny = static_cast<std::uint32_t>(plan.tiles[1]);
  const std::uint32_t row = index / nx, layer = row / ny;
  return {static_cast<std::int32_t>(index - row * nx) * plan.width,
          static_cast<std::int32_t>(row - layer * ny) * kTileRowsY,
          (window.first + static_cast<std::int32_t>(layer)) * kTileRowsZ};
}

/// Returns where a row of cells begins in the window's slices.
__device__ inline std::int64_t cell_of_row(const SpanPlan& plan, SpanWindow window, std::int32_t x,
                                           std::int32_t y, std::int32_t z) {
  return (static_cast<std::int64_t>(z - window.first_slice()) * plan.dims[1] + y) * plan.dims[0] +
         x;
}

/// The coarse cells [x0, x1] x [y0, y0 + ny) x [z0, z0 + nz) whose samples may reach a tile.
struct CandidateBox {
  std::int32_t x0, x1, y0, ny, z0, nz;

  __device__ int ranges() const { return ny * nz; }
};

__device__ inline void coarse_interval(const SpanPlan& plan, int axis, std::int32_t first,
                                       std::int32_t cells, std::int32_t& begin,
                                       std::int32_t& last) {
  const CoarseCells& c = plan.coarse;
  // The origin lies one cell beyond the reach, so `low` is never negative.
  const std::int64_t low = std::int64_t{first} - plan.reach[axis] - c.origin[axis];
  const std::int64_t high = std::int64_t{first} + cells - 1 + plan.reach[axis] - c.origin[axis];
  begin = static_cast<std::int32_t>(low >> c.shift[axis]);
  last = min(static_cast<std::int32_t>(high >> c.shift[axis]), c.dims[axis] - 1);
}

__device__ inline CandidateBox candidate_box(const SpanPlan& plan, const Tile& tile) {
  CandidateBox box;
  std::int32_t last;
  coarse_interval(plan, 0, tile.x, plan.width, box.x0, box.x1);
  coarse_interval(plan, 1, tile.y, kTileRowsY, box.y0, last);
  box.ny = last - box.y0 + 1;
  coarse_interval(plan, 2, tile.z, kTileRowsZ, box.z0, last);
  box.nz = last - box.z0 + 1;
  return box;
}

/// Sorted samples [begin, end) of a run of coarse cells along x.
struct SampleRange {
  std::uint32_t begin, end;
};

__device__ inline SampleRange range_at(const SpanPlan& plan, const CandidateBox& box,
                                       const std::uint32_t* starts, int range) {
  const int dz = range / box.ny, dy = range - dz * box.ny;
  const std::int64_t row =
      (static_cast<std::int64_t>(box.z0 + dz) * plan.coarse.dims[1] + box.y0 + dy) *
      plan.coarse.dims[0];
  return {starts[row + box.x0], starts[row + box.x1 + 1]};
}

}  // namespace skde::kernels
