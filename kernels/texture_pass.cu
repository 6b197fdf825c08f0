#include <algorithm>

#include "gpu/check.hpp"
#include "kernels/texture_pass.hpp"
#include "kernels/warp.cuh"

namespace skde::kernels {
namespace {

constexpr int kBlock = 160, kWarps = kBlock / 32;
constexpr int kBlocksOfMultiprocessor = 4;
// A warp takes two rows of cells along x at once: textures keep such pairs together in memory.
constexpr int kPair = 2, kWide = 32 / kPair;
constexpr int kLaneCells = 8;                 // along x
constexpr int kColumns = kWide * kLaneCells;  // cells along x that a block takes at once
constexpr int kBricks = kColumns / kTextureBrick;
constexpr int kReach = kTextureBrick + 2;  // cells along a side whose values a brick's range has
constexpr int kRows = kReach * kReach;     // of cells along x
constexpr int kPairs = kReach / kPair;  // of rows or slices; the last is beside the brick's cells
constexpr int kMostLayers = 8;          // bricks along z that a block takes in turn

/// The bricks that a block takes: kBricks along x, one along y, and layers along z.
struct Work {
  int columns, rows, layers;  ///< of the volume, in those units
  int at_once;                ///< layers
  int items;
};

struct Range {
  float least, greatest;

  __device__ void add(float value) {
    least = fminf(least, value);
    greatest = fmaxf(greatest, value);
  }
  __device__ void add(const Range& other) {
    least = fminf(least, other.least);
    greatest = fmaxf(greatest, other.greatest);
  }
};

constexpr Range kNothing{INFINITY, -INFINITY};

struct Shared {
  unsigned counts[kTextureBins];
  /// The range of each column of cells (along y and z) that a warp has read. The last two columns
  /// are the neighbours of the block, at its left and at its right.
  Range columns[kWarps][kColumns + 2];
};

/// Returns where a member of a pair of rows or slices is, relative to the brick.
__device__ int place_in(int pair, int member) {
  if (pair < kPairs - 1) return kPair * pair + member;
  return member == 0 ? -1 : kTextureBrick;
}

/// Returns the range of the lane whose number differs by the bit.
__device__ Range shuffled(const Range& range, int bit) {
  return {__shfl_xor_sync(kAllLanes, range.least, bit),
          __shfl_xor_sync(kAllLanes, range.greatest, bit)};
}

__device__ void count(const TexturePass& pass, Shared& shared, float value) {
  if (!(value >= pass.least)) return;
  const int bin = static_cast<int>(floorf(__log2f(value) * pass.bin_scale + pass.bin_offset));
  atomicAdd(&shared.counts[min(max(bin, 0), kTextureBins - 1)], 1U);
}

/// Writes the means of 2^3 cells: the lanes of a warp have two rows, `before` and `here` are the
/// slices. All dims are even.
__device__ void write_half(const TexturePass& pass, float before, float here, int x, int y, int z,
                           bool inside) {
  float sum = inside ? before + here : 0;
  sum += __shfl_xor_sync(kAllLanes, sum, 1);
  sum += __shfl_xor_sync(kAllLanes, sum, kWide);
  if (inside && x % 2 == 0 && y % 2 == 0)
    surf3Dwrite(sum * 0.125F, pass.half, x / 2 * static_cast<int>(sizeof(float)), y / 2, z / 2);
}

/// A warp reads every fifth pair of rows in pairs of slices, of the layer's cells and of those
/// around them. Its own cells go to the textures and are counted.
__device__ void read_rows(const TexturePass& pass, Shared& shared, int x0, int y0, int z0) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int side = lane / kWide, column = lane % kWide;
  const auto [nx, ny, nz] = pass.dims;
  Range found[kLaneCells];
#pragma unroll
  for (int i = 0; i < kLaneCells; ++i) found[i] = kNothing;
  for (int unit = warp; unit < kPairs * kPairs; unit += kWarps) {
    const int row = unit % kPairs, slice = unit / kPairs;
    const bool own = row < kPairs - 1 && slice < kPairs - 1;
    const int y = y0 + place_in(row, side),
              z[kPair] = {z0 + place_in(slice, 0), z0 + place_in(slice, 1)};
    const int end = y >= 0 && y < ny ? nx : 0;
    float value[kPair][kLaneCells];
#pragma unroll
    for (int k = 0; k < kPair; ++k) {
      const float* const from = pass.values + (static_cast<std::int64_t>(z[k]) * ny + y) * nx;
      const int last = z[k] >= 0 && z[k] < nz ? end : 0;
#pragma unroll
      for (int i = 0; i < kLaneCells; ++i) {
        const int x = x0 + kWide * i + column;
        if (x < last) value[k][i] = __ldg(from + x);
      }
    }
#pragma unroll
    for (int i = 0; i < kLaneCells; ++i) {
      const int x = x0 + kWide * i + column;
#pragma unroll
      for (int k = 0; k < kPair; ++k) {
        if (x >= end || z[k] < 0 || z[k] >= nz) continue;
        found[i].add(value[k][i]);
        if (!own) continue;
        surf3Dwrite(value[k][i], pass.texture, x * static_cast<int>(sizeof(float)), y, z[k]);
        count(pass, shared, value[k][i]);
      }
      if (own && pass.half != 0)
        write_half(pass, value[0][i], value[1][i], x, y, z[0], x < end && z[0] < nz);
    }
  }
#pragma unroll
  for (int i = 0; i < kLaneCells; ++i) {
    found[i].add(shuffled(found[i], kWide));
    if (side == 0) shared.columns[warp][kWide * i + column] = found[i];
  }
}

/// Reads the cells at the left and at the right of the block's, for the ranges alone.
__device__ void read_sides(const TexturePass& pass, Shared& shared, int x0, int y0, int z0) {
  const auto [nx, ny, nz] = pass.dims;
  Range found = kNothing;
  for (int cell = threadIdx.x; cell < 2 * kRows; cell += kBlock) {
    const int row = cell / 2, x = cell % 2 == 0 ? x0 - 1 : x0 + kColumns;
    const int y = y0 + row % kReach - 1, z = z0 + row / kReach - 1;
    if (x >= 0 && x < nx && y >= 0 && y < ny && z >= 0 && z < nz)
      found.add(__ldg(pass.values + (static_cast<std::int64_t>(z) * ny + y) * nx + x));
  }
  for (int distance = 16; distance > 1; distance /= 2) found.add(shuffled(found, distance));
  if (threadIdx.x % 32 < 2) shared.columns[threadIdx.x / 32][kColumns + threadIdx.x % 2] = found;
}

/// Merges the columns of all warps, and writes the ranges of the layer's bricks.
__device__ void write_ranges(const TexturePass& pass, Shared& shared, int brick_x, int brick_y,
                             int brick_z) {
  __syncthreads();
  for (int column = threadIdx.x; column < kColumns + 2; column += kBlock)
    for (int warp = 1; warp < kWarps; ++warp)
      shared.columns[0][column].add(shared.columns[warp][column]);
  __syncthreads();
  const int brick = threadIdx.x;
  if (brick < kBricks && (brick_x + brick) * kTextureBrick < pass.dims[0]) {
    const int begin = brick * kTextureBrick, end = begin + kTextureBrick;
    Range range = shared.columns[0][begin == 0 ? kColumns : begin - 1];
    for (int column = begin; column < end; ++column) range.add(shared.columns[0][column]);
    range.add(shared.columns[0][end == kColumns ? kColumns + 1 : end]);
    surf3Dwrite(make_float2(range.least, range.greatest), pass.ranges,
                (brick_x + brick) * static_cast<int>(sizeof(float2)), brick_y, brick_z);
  }
  __syncthreads();
}

__global__ void __launch_bounds__(kBlock, kBlocksOfMultiprocessor)
    fill_texture_kernel(TexturePass pass, Work work) {
  __shared__ Shared shared;
  for (int bin = threadIdx.x; bin < kTextureBins; bin += kBlock) shared.counts[bin] = 0;
  __syncthreads();
  for (int item = blockIdx.x; item < work.items; item += gridDim.x) {
    const int column = item % work.columns, row = item / work.columns % work.rows;
    const int first = item / (work.columns * work.rows) * work.at_once;
    for (int layer = first; layer < min(first + work.at_once, work.layers); ++layer) {
      const int x0 = column * kColumns, y0 = row * kTextureBrick, z0 = layer * kTextureBrick;
      read_rows(pass, shared, x0, y0, z0);
      read_sides(pass, shared, x0, y0, z0);
      write_ranges(pass, shared, column * kBricks, row, layer);
    }
  }
  for (int bin = threadIdx.x; bin < kTextureBins; bin += kBlock)
    if (shared.counts[bin] > 0)
      atomicAdd(pass.counts + bin, static_cast<unsigned long long>(shared.counts[bin]));
}

int parts(int whole, int part) { return (whole + part - 1) / part; }

}  // namespace

void fill_texture(const TexturePass& pass, int multiprocessors, cudaStream_t stream) {
  const int blocks = multiprocessors * kBlocksOfMultiprocessor;
  Work work{parts(pass.dims[0], kColumns), parts(pass.dims[1], kTextureBrick),
            parts(pass.dims[2], kTextureBrick), kMostLayers, 0};
  const auto items = [&] { return work.columns * work.rows * parts(work.layers, work.at_once); };
  while (work.at_once > 1 && items() < 2 * blocks) work.at_once /= 2;
  work.items = items();
  fill_texture_kernel<<<std::min(blocks, work.items), kBlock, 0, stream>>>(pass, work);
  gpu::check_launch("fill the texture");
}

}  // namespace skde::kernels
