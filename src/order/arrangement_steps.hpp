#pragma once

#include <cstdint>
#include <vector>

#include "core/cloud/grid_groups.hpp"
#include "core/report/progress.hpp"
#include "order/arrangement.hpp"

namespace skde {

/// Items on a grid, as engines move them. Empty cells are last.
struct GridItems {
  std::uint32_t width = 0, height = 0, items = 0;
  std::uint32_t columns = 0;           ///< a multiple of 4
  std::vector<float> values;           ///< (cells, columns), within [-1, 1]; unused after engines
  std::vector<std::uint32_t> item_at;  ///< in each cell
};

/// What engines do at one radius: the target is the grid's means over 2 radius + 1 cells along x
/// and y; then come the passes, in each of which a group takes the permutation nearest to it.
struct ArrangementStep {
  std::uint32_t radius_x = 0, radius_y = 0;
  std::vector<GroupPass> passes;
};

/// Returns the steps, from half of the longer side to a radius of 1, which falls by 0.95. Blocks
/// are about as large as the blur; the masks and offsets are drawn by the seed. No steps for fewer
/// than three items.
std::vector<ArrangementStep> arrangement_steps(const GridItems& grid, std::uint64_t seed);

/// Takes all steps. The result does not depend on the number of threads (0: one a core).
void arrange_on_cpu(GridItems& grid, const std::vector<ArrangementStep>& steps, int threads,
                    Progress& progress);
/// Starts the first CUDA device, and makes it current. Throws Error(resources) if there is none.
void start_cuda();
/// Returns whether the current CUDA device has room for a grid, which is not too wide for it.
bool cuda_takes(const GridItems& grid);
/// Likewise on the current CUDA device.
void arrange_on_cuda(GridItems& grid, const std::vector<ArrangementStep>& steps,
                     Progress& progress);

}  // namespace skde
