#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/report/progress.hpp"

namespace skde {

/// Where items are arranged; automatic is a GPU if there is one.
enum class ArrangementDevice { automatic, cpu, gpu };

/// Items to be arranged on a grid, by their columns.
struct ArrangementRequest {
  std::span<const float> values;  ///< (N, columns), row by row, scaled so that distances compare
  std::size_t columns = 3;
  std::uint64_t seed = 1;
  ArrangementDevice device = ArrangementDevice::automatic;
  int threads = 0;  ///< of the CPU, which does not change the result; 0: one a core
};

/// Items on a grid of width by height cells, of which the last may be empty.
struct Arrangement {
  std::size_t width = 0, height = 0;  ///< width = ceil(sqrt(N)), height = ceil(N / width)
  std::vector<std::uint32_t>
      item_at;  ///< width x height, row by row: the item in a cell, or kNoItem
  bool on_gpu = false;
  double seconds = 0;  ///< from the values on; the start of the GPU is not counted
};
inline constexpr std::uint32_t kNoItem = 0xffffffff;

/// Throws Error(input): this row, counted from 0, has a value that is not finite.
[[noreturn]] void refuse_row(std::size_t row);

/// Arranges the items so that neighbours on the grid are alike: parallel linear assignment
/// (Morgenstern et al., Compact 3D scene representation via self-organizing Gaussian grids, ECCV
/// 2024). Each item is in exactly one cell; the last cells are the empty ones. The same seed gives
/// the same arrangement on one machine. Throws Error(input) if a value is not finite,
/// Error(resources) if there is no such device or memory is short, and Error(cancelled).
Arrangement arranged(const ArrangementRequest& request, Progress& progress);

}  // namespace skde
