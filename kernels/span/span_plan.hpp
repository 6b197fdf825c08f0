#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/kernel/ellipsoid.hpp"
#include "core/kernel/kernel_function.hpp"
#include "core/space/grid.hpp"
#include "core/space/space.hpp"
#include "gpu/device_info.hpp"
#include "kernels/coarse_cells.hpp"

namespace skde::kernels {

/// A tile of the volume, the unit of the row-span accumulation: `width` cells of 8 x 4 rows. Each
/// lane of a warp owns one of the 32 rows.
inline constexpr int kTileRowsY = 8, kTileRowsZ = 4, kTileRows = kTileRowsY * kTileRowsZ;

/// Most runs of coarse cells that a tile gathers its candidates from.
inline constexpr int kMostRanges = 256;

/// Warps of a block that sums a tile of this width. With two planes, whose memory lets half as many
/// blocks be resident, a block has twice as many.
SKDE_HOST_DEVICE constexpr int span_warps(int width, int planes) {
  return width * planes < 64 ? 4 : width * planes / 16;
}

/// Bytes of shared memory that the block needs at most, for polynomials of this degree in words of
/// so many bytes.
constexpr std::size_t span_bytes(int width, int planes, int degree, std::size_t word) {
  constexpr std::size_t kTable = (2 * kMostRanges + 1) * sizeof(std::int32_t), kSmallThings = 128;
  const auto numbers = static_cast<std::size_t>(degree) + 1,
             cells = static_cast<std::size_t>(width) + 1,
             warps = static_cast<std::size_t>(span_warps(width, planes)),
             both = static_cast<std::size_t>(planes);
  const std::size_t queue = std::max<std::size_t>(4, numbers) + both - 1;
  return word * kTileRows * (both * numbers * cells + warps * queue + 1) + kTable + kSmallThings;
}

/// The parameters of a row-span run: sizes, scales and launches. Made on the host, passed to the
/// kernels by value, printed in reports.
struct SpanPlan {
  std::int32_t dims[3];   ///< of the grid
  std::int32_t tiles[3];  ///< tiles along x, y, z
  std::int32_t reach[3];  ///< cells from a sample to the end of its kernel, rounded up
  CoarseCells coarse;
  Ellipsoid<float> ellipsoid;
  Ellipsoid<double> precise;  ///< the ellipsoid in double
  int power = 1;              ///< p of the kernel (1 - q)^p
  int width = 64;             ///< cells of a tile along x: 64, 128, 256, or 32 with wide words
  int item = 4096;            ///< most candidates of a work item
  int fraction_bits = 20;     ///< of fixed-point positions, which wrap at 2^32
  bool wide_words = false;    ///< 64-bit fixed point and double instead of 32 bits and float
  int planes = 1;             ///< 2 if weights are split: see TileScale
  double amplitude = 0;       ///< of the kernel's peak, for the largest weight
  double largest_weight = 1;

  /// Returns the tiles of a layer along z.
  SKDE_HOST_DEVICE std::int64_t layer() const {
    return static_cast<std::int64_t>(tiles[0]) * tiles[1];
  }
  std::string describe() const;
};

/// Layers of tiles along z that are processed together. The result does not depend on how layers
/// are grouped into windows.
struct SpanWindow {
  std::int32_t first = 0, layers = 0;

  SKDE_HOST_DEVICE std::int32_t first_slice() const { return first * kTileRowsZ; }
};

/// Description of the samples of a run.
struct SpanSamples {
  std::int64_t count = 0;
  bool weighted = false;  ///< whether the samples have individual weights
  double largest_weight = 1;
};

/// Chooses tile, item and coarse cells for these kernels on the grid, for a device. `amplitude` is
/// that of SpanPlan.
SpanPlan make_span_plan(const Ellipsoid<double>& ellipsoid, const Grid& grid,
                        KernelFunction function, double amplitude, const SpanSamples& samples,
                        const gpu::DeviceInfo& device);

/// Returns true if the kernels need 64-bit words: see SpanPlan::wide_words.
bool needs_wide_words(const Ellipsoid<double>& ellipsoid, KernelFunction function);

/// Returns the layers of tiles that cover `slices` slices.
std::int32_t tile_layers(std::int64_t slices);

/// Returns why row spans cannot sum such a kernel (its polynomials would lose digits), else "".
std::string span_refusal(const Ellipsoid<double>& ellipsoid, KernelFunction function);

/// Returns the most work items that `samples` samples can need in `layers` layers.
std::int64_t most_items(const SpanPlan& plan, std::int64_t samples, std::int32_t layers);

}  // namespace skde::kernels
