#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/kernel/kernel_function.hpp"
#include "core/tile_share.hpp"
#include "kernels/coarse_sort.hpp"
#include "kernels/span/span_plan.hpp"

/// The row-span engine on CUDA. Along a row of cells a kernel is a polynomial on an interval, so it
/// is added at the interval's two ends to difference arrays of the polynomial's coefficients, and
/// one scan of the row sums all kernels: O(1) work a row instead of O(r). The nearest prior art is
/// the sweep line of SLAM (Chan et al., SIGMOD 2022) on CPUs.
namespace skde::kernels {

/// A part of the candidates of a tile of the window, [first, first + plan.item).
struct SpanItem {
  std::uint32_t tile, first;
};

/// The fixed-point scale of a tile: all its items share it, so their sums add as integers.
///
/// In 32 bits a weight's own digits do not fit beside those of the polynomial, whose leading
/// coefficient is a small integer where kernels are wide. So weights are split into two planes that
/// are summed one after the other: the whole units of `one` that a weight has, and the rest of it
/// in units so much finer.
struct TileScale {
  double one;    ///< what the polynomial (half width^2 - x^2)^p = 1 is at the largest weight
  double finer;  ///< units of the second plane in one of the first
  /// From the integers of a plane to the volume, and the bits that an item's sum loses when several
  /// items share the tile.
  double to_density[2];
  std::int32_t shift[2];
};

/// Device memory that the caller provides.
struct SpanArrays {
  const FixedSample* fixed = nullptr;          ///< the sorted samples; null with wide words
  const PreciseSample* precise = nullptr;      ///< the same with wide words, else null
  const std::uint64_t* weight_sums = nullptr;  ///< of sum_weights(); null where all are 1
  const std::uint32_t* starts = nullptr;       ///< coarse.count() + 1
  SpanItem* items = nullptr;                   ///< most_items(plan, samples, layers)
  std::uint32_t* tile_candidates = nullptr;    ///< a tile of the window: samples that may reach it
  TileScale* tile_scales = nullptr;            ///< a tile of the window
  std::uint32_t* tile_done = nullptr;          ///< a tile of the window: items finished
  std::uint32_t* counters = nullptr;           ///< 2: items listed, items begun
  float* volume = nullptr;                     ///< the window's slices
  /// A cell of the window: the second plane's integers; null with wide words or weights of 1.
  int* second = nullptr;
  TileShare share{};  ///< tiles that are summed
};

/// Counts each tile's candidates and lists the work items; sets tiles of none or several items to
/// 0.
void list_items(const SpanPlan& plan, const SpanArrays& arrays, SpanWindow window,
                cudaStream_t stream);

/// Writes the density of every tile of the window that has items. The result is the same bits
/// however the blocks are scheduled: all sums are of integers.
void accumulate_spans(const SpanPlan& plan, KernelFunction function, const SpanArrays& arrays,
                      SpanWindow window, int multiprocessors, cudaStream_t stream);

/// sum[i] += addend[i] for `cells` cells.
void add_volume(const float* addend, float* sum, std::int64_t cells, cudaStream_t stream);

}  // namespace skde::kernels
