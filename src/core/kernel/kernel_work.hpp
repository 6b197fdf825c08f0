#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "core/cloud/samples.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "core/space/axis_swap.hpp"

namespace skde {

/// The work of sample-wise estimation. It is the measure by which engines are compared, whatever
/// method they use.
struct KernelWork {
  double evaluated = 0;  ///< cells of the cropped boxes
  /// Cells inside the kernels, that is additions to the volume: N times the kernel's volume in
  /// cells, less the part beyond the grid.
  double updates = 0;
  double slices = 0;  ///< slices left by chop
  double rows = 0;    ///< rows of cells that the kernels meet
  /// Weight of the samples inside the grid whose kernels lie between cell centres. No cell receives
  /// them, and their mass is lost.
  double unseen_weight = 0;

  KernelWork& operator+=(const KernelWork& other);
};

/// Counts the work of samples on `threads` threads (0: one per core). Of more than `most_counted`
/// samples, it counts that many, spread over the cloud, and scales up. `axes` are already swapped
/// in the ellipsoid and the grid, but not in the points.
KernelWork count_work(const Ellipsoid<double>& ellipsoid, const Grid& grid,
                      const SamplesView& points, std::size_t most_counted, AxisSwap axes = {},
                      int threads = 0);

/// Work that is counted when it is first asked for: reports show it, and densities do without it.
/// Copies share the count, and any thread may ask.
class WorkCount {
 public:
  /// Adds work that is known.
  WorkCount& operator+=(const KernelWork& known);
  /// Adds what `count` will return; it is called at most once.
  void add_later(std::function<KernelWork()> count);
  /// All of it together.
  KernelWork value() const;

 private:
  struct Later;
  KernelWork known_;
  std::shared_ptr<Later> later_;
};

/// Numbers of samples whose kernels are thinner than the floor: on the given cells, on cells of
/// half the edge, of a quarter and so on.
struct ThinCounts {
  std::array<std::uint64_t, 8> on_cells{};

  std::uint64_t now() const { return on_cells[0]; }
  ThinCounts& operator+=(const ThinCounts& other) {
    std::ranges::transform(on_cells, other.on_cells, on_cells.begin(), std::plus<>());
    return *this;
  }
};

}  // namespace skde
