#pragma once

#include <cstdint>
#include <string>

#include "core/grid.hpp"
#include "core/kernel/ellipsoid.hpp"
#include "core/kernel/kernel_function.hpp"
#include "core/space.hpp"
#include "kernels/coarse_cells.hpp"

namespace skde::kernels {

/// A tile of the volume, the unit of the row-span accumulation: `width` cells of 8 x 4 rows. A lane
/// of a warp owns one of the 32 rows.
inline constexpr int kTileRowsY = 8, kTileRowsZ = 4, kTileRows = kTileRowsY * kTileRowsZ;

/// Runs of coarse cells that a tile gathers its candidates from, at the most.
inline constexpr int kMostRanges = 256;

/// All that is decided before a run of the row spans: sizes, scales and launches. Made on the host,
/// passed to the kernels by value, printed in reports.
struct SpanPlan {
  std::int32_t dims[3];   ///< of the grid
  std::int32_t tiles[3];  ///< along x, y, z
  std::int32_t reach[3];  ///< cells from a sample to the end of its kernel, rounded up
  CoarseCells coarse;
  Ellipsoid<float> ellipsoid;
  Ellipsoid<double> precise;  ///< the same in double
  int power = 1;              ///< p of the kernel (1 - q)^p
  int width = 64;             ///< cells of a tile along x: 64, 128 or 256
  int item = 4096;            ///< candidates of a work item at the most
  int fraction_bits = 20;     ///< of the fixed-point positions, which wrap at 2^32
  bool wide_words = false;    ///< 64-bit fixed point and double instead of 32 bits and float
  int planes = 1;             ///< 2 where weights are split: see TileScale
  double amplitude = 0;       ///< added at a kernel's centre for the largest weight
  double largest_weight = 1;

  /// Tiles of a layer along z.
  SKDE_HOST_DEVICE std::int64_t layer() const {
    return static_cast<std::int64_t>(tiles[0]) * tiles[1];
  }
  std::string describe() const;
};

/// Layers of tiles along z that are worked on at once. What they hold does not depend on how layers
/// are put into windows.
struct SpanWindow {
  std::int32_t first = 0, layers = 0;

  SKDE_HOST_DEVICE std::int32_t first_slice() const { return first * kTileRowsZ; }
};

/// What the samples of a run are.
struct SpanSamples {
  std::int64_t count = 0;
  bool weighted = false;  ///< they have weights of their own
  double largest_weight = 1;
};

/// Chooses tile, item and coarse cells for the kernels of samples on a grid. `amplitude` as in
/// SpanPlan.
SpanPlan make_span_plan(const Ellipsoid<double>& ellipsoid, const Grid& grid,
                        KernelFunction function, double amplitude, const SpanSamples& samples,
                        int multiprocessors);

/// True where the kernels need 64-bit words: see SpanPlan::wide_words.
bool needs_wide_words(const Ellipsoid<double>& ellipsoid, KernelFunction function);

/// Layers of tiles in that many slices.
std::int32_t tile_layers(std::int64_t slices);

/// Why the row spans do not serve such a kernel: its polynomials would lose digits; else empty.
std::string span_refusal(const Ellipsoid<double>& ellipsoid, KernelFunction function);

/// Work items that so many layers can need for `samples` samples: the size of the item list.
std::int64_t most_items(const SpanPlan& plan, std::int64_t samples, std::int32_t layers);

}  // namespace skde::kernels
