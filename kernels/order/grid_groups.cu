#include "gpu/check.hpp"
#include "kernels/order/float_four.cuh"
#include "kernels/order/grid_arrangement.hpp"

namespace skde::kernels {
namespace {

constexpr int kBlock = 256;

/// One of four values by an index that is known only at run time, without local memory.
__device__ std::uint32_t pick(const std::uint32_t (&from)[4], std::uint32_t i) {
  const std::uint32_t low = (i & 1) != 0 ? from[1] : from[0];
  const std::uint32_t high = (i & 1) != 0 ? from[3] : from[2];
  return (i & 2) != 0 ? high : low;
}

/// Adds the scalar products of four items and four targets in the columns of this lane.
template <int Lanes>
__device__ void add_likeness(const DeviceGrid& grid, const std::uint32_t (&cells)[4],
                             std::uint32_t lane, float (&likeness)[4][4]) {
  for (std::size_t column = 4 * lane; column < grid.columns; column += 4 * Lanes) {
    float4 values[4], targets[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      values[k] = load_four(grid.values, std::size_t{cells[k]} * grid.columns + column);
      targets[k] = load_four(grid.target, std::size_t{cells[k]} * grid.columns + column);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int k = 0; k < 4; ++k) likeness[i][k] += dot(values[i], targets[k]);
  }
#pragma unroll
  for (int step = 1; step < Lanes; step *= 2)
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int k = 0; k < 4; ++k) likeness[i][k] += __shfl_xor_sync(~0u, likeness[i][k], step);
}

/// `Lanes` threads share a group: each has every Lanes-th four of the columns.
template <int Lanes>
__global__ void group_kernel(DeviceGrid grid, GroupPass pass) {
  const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * kBlock + threadIdx.x;
  const std::uint32_t groups = pass.groups(), lane = threadIdx.x % Lanes;
  const bool has_one = thread / Lanes < groups;  // others take part in the shuffles
  const std::uint32_t group = has_one ? static_cast<std::uint32_t>(thread / Lanes) : groups - 1;
  std::uint32_t cells[4];
  cells_of_group(pass, group, cells);
  float likeness[4][4] = {};
  add_likeness<Lanes>(grid, cells, lane, likeness);
  if (max(max(cells[0], cells[1]), max(cells[2], cells[3])) >= pass.items)
    forbid_empty_cells(cells, pass.items, likeness);
  const std::uint32_t best = best_permutation(likeness);
  if (!has_one || best == kAllInPlace) return;
  std::uint32_t from[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) from[k] = pick(cells, item_for(best, k));
  for (std::size_t column = 4 * lane; column < grid.columns; column += 4 * Lanes) {
    float4 moved[4];
#pragma unroll
    for (int k = 0; k < 4; ++k)
      moved[k] = load_four(grid.values, std::size_t{from[k]} * grid.columns + column);
#pragma unroll
    for (int k = 0; k < 4; ++k)
      if (from[k] != cells[k])
        store_four(grid.values, std::size_t{cells[k]} * grid.columns + column, moved[k]);
  }
  if (lane != 0) return;
  std::uint32_t items[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) items[k] = grid.item_at[from[k]];
#pragma unroll
  for (int k = 0; k < 4; ++k)
    if (from[k] != cells[k]) grid.item_at[cells[k]] = items[k];
}

template <int Lanes>
void launch(const DeviceGrid& grid, const GroupPass& pass, cudaStream_t stream) {
  const std::size_t threads = std::size_t{pass.groups()} * Lanes;
  group_kernel<Lanes>
      <<<static_cast<unsigned>((threads + kBlock - 1) / kBlock), kBlock, 0, stream>>>(grid, pass);
  gpu::check_launch("permute the items of groups");
}

}  // namespace

void assign_groups(const DeviceGrid& grid, const GroupPass& pass, cudaStream_t stream) {
  const std::uint32_t fours = grid.columns / 4;
  if (fours == 1)
    launch<1>(grid, pass, stream);
  else if (fours == 2)
    launch<2>(grid, pass, stream);
  else
    launch<4>(grid, pass, stream);
}

}  // namespace skde::kernels
