#include "kernels/tile_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace skde::kernels {
namespace {

constexpr std::int64_t kMostKeys = std::int64_t{1} << 22;
/// Half extent along x (cells) from which lanes of 16 cells pay.
constexpr double kLongRows = 20;
/// Candidates from which a tile is worth a block's threads.
constexpr std::uint32_t kShared = 768;

std::int32_t ceil_div(std::int64_t a, std::int64_t b) {
  return static_cast<std::int32_t>((a + b - 1) / b);
}

int bits_for(std::int64_t value) {
  int bits = 0;
  while ((std::int64_t{1} << bits) < value) ++bits;
  return bits;
}

/// Coarse cells of about a third of the reach: finer ones leave fewer candidates to be culled in
/// vain, coarser ones fewer runs of them to be looked up.
CoarseCells choose_coarse(const TilePlan& plan, const std::int32_t (&reach)[3],
                          std::int64_t most_cells) {
  constexpr int kPart = 3, kSmallest[3] = {3, 1, 1};
  CoarseCells coarse{};
  for (int axis = 0; axis < 3; ++axis)
    coarse.shift[axis] = std::max(kSmallest[axis], bits_for(reach[axis] / kPart + 1) - 1);
  const auto resize = [&] {
    for (int axis = 0; axis < 3; ++axis) {
      coarse.origin[axis] = -reach[axis] - 1;
      const std::int64_t length = std::int64_t{plan.dims[axis]} + 2 * (std::int64_t{reach[axis]} + 1);
      coarse.dims[axis] = static_cast<std::int32_t>(length >> coarse.shift[axis]) + 1;
    }
  };
  for (resize(); coarse.count() > most_cells; resize())
    ++coarse.shift[std::max_element(coarse.dims, coarse.dims + 3) - coarse.dims];
  return coarse;
}

void choose_classes(TilePlan& plan, double smallest_share) {
  plan.classes = 1;
  while (plan.classes < kMostClasses && std::exp2(-plan.classes) >= smallest_share) ++plan.classes;
  std::uint32_t first = 0;
  for (int k = 0; k < plan.classes; ++k) {
    SizeClass& size = plan.size[k];
    for (int axis = 0; axis < 3; ++axis)
      size.reach[axis] = static_cast<std::int32_t>(std::ceil(std::min(
                             plan.largest[axis] * std::exp2(-k), kFarthestTileReach))) +
                         1;
    size.coarse = choose_coarse(plan, size.reach, kMostKeys / plan.classes);
    size.first = first;
    first += static_cast<std::uint32_t>(size.coarse.count());
  }
}

}  // namespace

TilePlan make_tile_plan(const Ellipsoid<double>& ellipsoid, const Grid& grid, double largest,
                        double smallest, bool precise) {
  TilePlan plan{};
  plan.ellipsoid = ellipsoid;
  plan.largest = largest * Vec3{ellipsoid.rx, ellipsoid.ry, ellipsoid.sz};
  plan.precise = precise;
  plan.lane_cells = plan.largest.x >= kLongRows && grid.dims[0] > 2 * 8 ? 16 : 8;
  plan.shared = kShared;
  const std::int64_t tile[3] = {kTileLanesX * plan.lane_cells, kTileCellsY, kTileCellsZ};
  for (int axis = 0; axis < 3; ++axis) {
    plan.dims[axis] = static_cast<std::int32_t>(grid.dims[static_cast<std::size_t>(axis)]);
    plan.tiles[axis] = ceil_div(plan.dims[axis], tile[axis]);
  }
  choose_classes(plan, smallest / largest);
  for (int axis = 0; axis < 3; ++axis) {
    const SizeClass& widest = plan.size[0];
    const std::int64_t farthest =
        tile[axis] + widest.reach[axis] + (std::int64_t{2} << widest.coarse.shift[axis]);
    plan.fraction_bits[axis] = std::clamp(31 - bits_for(farthest + 1), 0, 26);
  }
  return plan;
}

TileWork tile_work(const TilePlan& plan) {
  const SizeClass& widest = plan.size[0];
  const double tile[3] = {static_cast<double>(kTileLanesX * plan.lane_cells), kTileCellsY,
                          kTileCellsZ};
  double candidates = 1, met = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const double side = plan.dims[axis], coarse = std::exp2(widest.coarse.shift[axis]);
    const double reach = plan.largest[axis];
    candidates *= std::min((2 * reach + 2 + coarse) / tile[axis] + 1, side / tile[axis] + 1);
    met *= std::min(1.612 * reach / tile[axis] + 1, side / tile[axis] + 1);  // of a ball's volume
  }
  return {met * tile[0] * tile[1] * tile[2], candidates};
}

std::string TilePlan::describe() const {
  const CoarseCells& c = size[0].coarse;
  return fmt::format("tiles of {} x {} x {} cells, {} size{}, coarse cells of {} x {} x {}{}",
                     kTileLanesX * lane_cells, kTileCellsY, kTileCellsZ, classes,
                     classes == 1 ? "" : "s", 1 << c.shift[0], 1 << c.shift[1], 1 << c.shift[2],
                     precise ? ", q in double" : "");
}

}  // namespace skde::kernels
