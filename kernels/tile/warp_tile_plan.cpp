#include "kernels/tile/warp_tile_plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace skde::kernels {
namespace {

constexpr std::int64_t kMostKeys = std::int64_t{1} << 22;
constexpr int kTile[3] = {kWarpTileX, kWarpTileY, kWarpTileZ};

/// Returns the cells of a block along an axis.
int block_cells(TileBlock block, int axis) {
  return kTile[axis] * (axis == 0 ? block.x : axis == 1 ? block.y : 1);
}

/// Returns the exponent of the greatest power of two that is not above `value`.
int floor_log2(std::int64_t value) {
  return value < 1 ? 0 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value))) - 1;
}

/// Chooses coarse cells of about a fifth of the reach. Finer ones would leave fewer candidates to
/// cull in vain, coarser ones fewer runs to look up.
CoarseCells choose_coarse(const WarpTilePlan& plan, const std::int32_t (&margin)[3],
                          std::int64_t most_cells) {
  constexpr int kPart = 5, kSmallest[3] = {3, 2, 2};
  CoarseCells coarse{};
  for (int axis = 0; axis < 3; ++axis)
    coarse.shift[axis] = std::max(kSmallest[axis], floor_log2(margin[axis] / kPart));
  const auto resize = [&] {
    for (int axis = 0; axis < 3; ++axis) {
      coarse.origin[axis] = -margin[axis];
      const std::int64_t length = std::int64_t{plan.dims[axis]} + 2 * std::int64_t{margin[axis]};
      coarse.dims[axis] = static_cast<std::int32_t>(length >> coarse.shift[axis]) + 1;
    }
  };
  for (resize(); coarse.count() > most_cells; resize())
    ++coarse.shift[std::max_element(coarse.dims, coarse.dims + 3) - coarse.dims];
  return coarse;
}

/// Returns the longest reach in a class.
double reach_of(int place) { return kLowestReach * std::pow(kReachRatio, place); }

/// One class if all samples have the same shape, else enough classes to reach across the grid.
void choose_classes(WarpTilePlan& plan) {
  const std::int32_t longest = *std::max_element(plan.dims, plan.dims + 3);
  plan.classes = 1;
  if (plan.shaped)
    while (plan.classes < kMostReachClasses && reach_of(plan.classes - 1) < longest) ++plan.classes;
  const double extents[3] = {plan.ellipsoid.rx + plan.edge, plan.ellipsoid.ry + plan.edge,
                             plan.ellipsoid.sz + plan.edge};
  std::uint32_t first = 0;
  for (int k = 0; k < plan.classes; ++k) {
    ReachClass& of = plan.reach_class[k];
    for (int axis = 0; axis < 3; ++axis) {
      const double reach = plan.shaped ? reach_of(k) : extents[axis];
      of.margin[axis] = static_cast<std::int32_t>(
          std::min(std::ceil(reach) + 1, static_cast<double>(plan.dims[axis])));
    }
    of.coarse = choose_coarse(plan, of.margin, kMostKeys / plan.classes);
    of.first = first;
    first += static_cast<std::uint32_t>(of.coarse.count());
  }
}

/// Chooses fraction bits for a block's candidates: within a reach and the coarse cells at its ends.
void choose_fraction(WarpTilePlan& plan) {
  const double extents[3] = {plan.ellipsoid.rx + plan.edge, plan.ellipsoid.ry + plan.edge,
                             plan.ellipsoid.sz + plan.edge};
  for (int axis = 0; axis < 3; ++axis) {
    const auto farthest = static_cast<std::int64_t>(block_cells(plan.block, axis) +
                                                    std::min(extents[axis], kFarthestFixedReach)) +
                          (std::int64_t{2} << plan.reach_class[0].coarse.shift[axis]);
    plan.fraction[axis] = std::clamp(29 - floor_log2(farthest), 1, 26);
  }
}

}  // namespace

WarpTileWork warp_tile_work(const Ellipsoid<double>& ellipsoid, const Grid& grid, TileBlock block) {
  const double extents[3] = {ellipsoid.rx, ellipsoid.ry, ellipsoid.sz};
  WarpTileWork work{kWarpTileCells, 1};
  for (int axis = 0; axis < 3; ++axis) {
    const double reach = extents[axis], tile = kTile[axis], along = block_cells(block, axis),
                 cells = static_cast<double>(grid.dims[static_cast<std::size_t>(axis)]);
    constexpr double kOfBall = 0.806;  // cube root of a ball's share of its bounding box
    work.cells *= std::min(2 * kOfBall * reach / tile + 1, cells / tile + 1);
    work.visits *= std::min((2 * reach + std::max(reach / 5, 8.0)) / along + 1, cells / along + 1);
  }
  return work;
}

bool needs_wide_tiles(const Kernel& kernel, const Grid& grid, bool shaped, double min_width) {
  constexpr double kSteepest = 4;
  const Ellipsoid<double> e = kernel.ellipsoid(grid);
  if (std::max({e.rx, e.ry, e.sz}) > kFarthestFixedReach) return true;
  if (shaped) return min_width * kernel.cut() / std::sqrt(kernel.function->variance) < kSlim;
  const double slant = std::max(e.rx / e.sx, e.ry / e.sy);
  return std::min({e.sx, e.sy, e.sz}) < kSlim || slant > kSteepest;
}

WarpTilePlan make_warp_tile_plan(const Ellipsoid<double>& ellipsoid, const Grid& grid, bool shaped,
                                 bool wide, bool means) {
  WarpTilePlan plan{};
  plan.ellipsoid = ellipsoid;
  plan.shaped = shaped;
  plan.wide = wide;
  plan.edge = means ? 0.5 : 0;
  plan.block = tile_block(shaped, wide, means);
  for (int axis = 0; axis < 3; ++axis) {
    const int cells = block_cells(plan.block, axis);
    plan.dims[axis] = static_cast<std::int32_t>(grid.dims[static_cast<std::size_t>(axis)]);
    plan.blocks[axis] = (plan.dims[axis] + cells - 1) / cells;
  }
  choose_classes(plan);
  choose_fraction(plan);
  return plan;
}

std::string WarpTilePlan::describe() const {
  const CoarseCells& c = reach_class[0].coarse;
  return fmt::format(
      "tiles of {} x {} x {} cells, {} to a block, {} of reach, coarse cells of "
      " {} x {} x {}{}",
      kWarpTileX, kWarpTileY, kWarpTileZ, block.tiles(),
      classes == 1 ? "one class" : fmt::format("{} classes", classes), 1 << c.shift[0],
      1 << c.shift[1], 1 << c.shift[2],
      apart  ? ", slim kernels in double"
      : wide ? ", sums in double"
             : "");
}

}  // namespace skde::kernels
