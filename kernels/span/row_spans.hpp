#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/kernel/kernel_function.hpp"
#include "core/space/tile_share.hpp"
#include "kernels/span/coarse_sort.hpp"
#include "kernels/span/span_plan.hpp"

/// The row-span engine on CUDA. Along a row of cells a kernel is a polynomial on an interval. It is
/// added, at the interval's two ends, to difference arrays of the polynomial's coefficients. One
/// scan of the row then sums all kernels: O(1) work per row instead of O(r). The nearest prior art
/// is the sweep line of SLAM (Chan et al., SIGMOD 2022) on CPUs.
namespace skde::kernels {

/// A part of the candidates of a tile of the window: [first, first + plan.item).
struct SpanItem {
  std::uint32_t tile, first;
};

/// The fixed-point scale of a tile. All its items share it, so that their sums add as integers.
///
/// 32 bits cannot hold the digits of a weight besides those of the polynomial, whose leading
/// coefficient is a small integer for wide kernels. So weights are split into two planes:
/// floor(one * weight), and the remainder in units `finer` times as small.
struct TileScale {
  double one;    ///< fixed-point value of (half width^2 - x^2)^p = 1 at the largest weight
  double finer;  ///< units of the second plane per unit of the first
  /// Factor from a plane's integers to the volume, and the bits that an item's sum drops if several
  /// items share the tile.
  double to_density[2];
  std::int32_t shift[2];
};

/// Device memory that the caller provides.
struct SpanArrays {
  const FixedSample* fixed = nullptr;          ///< the sorted samples; null with wide words
  const PreciseSample* precise = nullptr;      ///< the sorted samples with wide words, else null
  const std::uint64_t* weight_sums = nullptr;  ///< from sum_weights(); null if all weights are 1
  const std::uint32_t* starts = nullptr;       ///< coarse.count() + 1 values
  SpanItem* items = nullptr;                   ///< most_items(plan, samples, layers) items
  std::uint32_t* tile_candidates = nullptr;    ///< per tile of the window: samples that may reach
                                               ///< it
  TileScale* tile_scales = nullptr;            ///< per tile of the window
  std::uint32_t* tile_done = nullptr;          ///< per tile of the window: finished items
  std::uint32_t* counters = nullptr;           ///< 2 values: items listed, items begun
  float* volume = nullptr;                     ///< the window's slices
  /// Per cell of the window: the second plane's integers; null with wide words or weights of 1.
  int* second = nullptr;
  TileShare share{};  ///< tiles that are summed
};

/// Counts each tile's candidates and lists the work items. Clears tiles with no item or with
/// several.
void list_items(const SpanPlan& plan, const SpanArrays& arrays, SpanWindow window,
                cudaStream_t stream);

/// Writes the density of every tile of the window that has items. The result is reproducible for
/// any scheduling of the blocks, because all sums are of integers.
void accumulate_spans(const SpanPlan& plan, KernelFunction function, const SpanArrays& arrays,
                      SpanWindow window, int multiprocessors, cudaStream_t stream);

/// Sets sum[i] += addend[i] for `cells` cells.
void add_volume(const float* addend, float* sum, std::int64_t cells, cudaStream_t stream);

}  // namespace skde::kernels
