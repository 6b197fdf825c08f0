#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/axis_swap.hpp"
#include "core/cloud/samples.hpp"
#include "core/kernel/kernel_shape.hpp"

namespace skde {

/// What sample-wise estimation does for samples: the measure in which engines are compared,
/// whatever they do instead.
struct KernelWork {
  double evaluated = 0;  ///< cells of the cropped boxes
  /// Cells inside the kernels, the additions to the volume: N times the kernel's volume in cells,
  /// less what reaches past the grid.
  double updates = 0;
  double slices = 0;  ///< slices left by chop
  double rows = 0;    ///< rows of cells that the kernels meet
  /// Weight of the samples inside the grid whose kernels lie between the cell centres: no cell sees
  /// them, and their mass is lost.
  double unseen_weight = 0;

  KernelWork& operator+=(const KernelWork& other);
};

/// Counts the work of samples on so many threads (0: one a core); of more than `most_counted`
/// samples, that of so many spread over them stands for all. `axes` of the points' coordinates are
/// swapped already in the ellipsoid and the grid.
KernelWork count_work(const Ellipsoid<double>& ellipsoid, const Grid& grid,
                      const SamplesView& points, std::size_t most_counted, AxisSwap axes = {},
                      int threads = 0);

/// Samples whose kernels are thinner than the floor, on cells as they are, of half the edge, of a
/// quarter and so on.
struct ThinCounts {
  std::array<std::uint64_t, 8> on_cells{};

  std::uint64_t now() const { return on_cells[0]; }
  ThinCounts& operator+=(const ThinCounts& other) {
    std::ranges::transform(on_cells, other.on_cells, on_cells.begin(), std::plus<>());
    return *this;
  }
};

}  // namespace skde
