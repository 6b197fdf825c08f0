#include "kernels/span/span_plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace skde::kernels {
namespace {

/// Conditional half widths (in cells) between which 32-bit words and float positions keep their
/// digits; the upper limit applies along x.
constexpr double kNarrowestShort = 2, kWidestShort = 128;
constexpr double kLongRows = 24;  // half extent (cells) from which wider tiles pay
/// Ratio of extent to conditional half width above which the terms of q cancel too much for float.
constexpr double kSteepestShort = 4;
constexpr double kFarthestReach = 1e8;  // cells; keeps the margin within 32 bits

std::int32_t ceil_div(std::int64_t a, std::int64_t b) {
  return static_cast<std::int32_t>((a + b - 1) / b);
}

int bits_for(std::int64_t value) {
  int bits = 0;
  while ((std::int64_t{1} << bits) < value) ++bits;
  return bits;
}

/// Returns the coarse cells within reach of a tile of `tile` cells along an axis.
std::int64_t coarse_span(std::int64_t tile, std::int64_t reach, int shift) {
  return ((tile + 2 * reach) >> shift) + 2;
}

/// Chooses coarse cells as small as the number of ranges per tile allows. The smaller they are, the
/// fewer candidates are culled in vain.
CoarseCells choose_coarse(const SpanPlan& plan) {
  CoarseCells coarse{};
  int shift[3] = {4, 2, 2};
  while (coarse_span(kTileRowsY, plan.reach[1], shift[1]) *
             coarse_span(kTileRowsZ, plan.reach[2], shift[2]) >
         kMostRanges)
    ++shift[coarse_span(kTileRowsY, plan.reach[1], shift[1]) >
                    coarse_span(kTileRowsZ, plan.reach[2], shift[2])
                ? 1
                : 2];
  constexpr std::int64_t kMostCells = std::int64_t{1} << 22;
  const auto resize = [&] {
    for (int axis = 0; axis < 3; ++axis) {
      coarse.shift[axis] = shift[axis];
      coarse.origin[axis] = -plan.reach[axis] - 1;
      const std::int64_t length = std::int64_t{plan.dims[axis]} + 2 * (plan.reach[axis] + 1);
      coarse.dims[axis] = static_cast<std::int32_t>(length >> shift[axis]) + 1;
    }
  };
  for (resize(); coarse.count() > kMostCells; resize()) {
    const int longest =
        static_cast<int>(std::max_element(coarse.dims, coarse.dims + 3) - coarse.dims);
    ++shift[longest];
  }
  return coarse;
}

/// Chooses tiles that hold a whole row if it is short, because a span that crosses into a second
/// tile is processed twice. Otherwise their width follows the length of the kernel's rows. Narrow
/// kernels need narrow tiles, because positions in the tile are floats.
int choose_width(const Ellipsoid<double>& ellipsoid, std::int32_t nx) {
  const int finest = ellipsoid.sx < 4 ? 64 : ellipsoid.sx < 8 ? 128 : 256;
  const int whole_row = nx <= 64 ? 64 : nx <= 128 ? 128 : 256;
  const int long_rows = nx <= 256 || ellipsoid.rx > 40 ? 256 : 128;
  return std::min({finest, whole_row, long_rows});
}

/// Returns the most tiles, in `layers` layers, that may count one sample among their candidates.
double visits_a_sample(const SpanPlan& plan, std::int32_t layers) {
  const std::int32_t tiles[3] = {plan.tiles[0], plan.tiles[1], layers};
  const std::int64_t tile[3] = {plan.width, kTileRowsY, kTileRowsZ};
  double visits = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const std::int64_t reached =
        2 * (plan.reach[axis] + (std::int64_t{1} << plan.coarse.shift[axis]));
    visits *= static_cast<double>(std::min<std::int64_t>(tiles[axis], reached / tile[axis] + 2));
  }
  return visits;
}

/// Chooses items small enough that every multiprocessor gets many, large enough to pay for their
/// scan. Candidates in 64-bit words take longer than a scan. Wide kernels get smaller items: their
/// coefficients' rounding grows along the rows.
int choose_item(const SpanPlan& plan, std::int64_t samples, int multiprocessors) {
  // Items a multiprocessor. One of 64-bit words holds few blocks at a time.
  const double each = !plan.wide_words ? 25 : plan.power == 1 ? 200 : 100;
  const double wanted = visits_a_sample(plan, plan.tiles[2]) * static_cast<double>(samples) /
                        (each * multiprocessors);
  const int most = plan.precise.sx > 64 ? 2048 : plan.precise.sx > 32 ? 4096 : 8192;
  int item = 256;
  while (item < most && item < wanted) item *= 2;
  return item;
}

}  // namespace

bool needs_wide_words(const Ellipsoid<double>& ellipsoid, KernelFunction function) {
  const int degree = function->degree.value();
  if (degree == 0) return false;
  const double slant = std::max(ellipsoid.rx / ellipsoid.sx, ellipsoid.ry / ellipsoid.sy);
  return degree > 1 || std::min({ellipsoid.sx, ellipsoid.sy, ellipsoid.sz}) < kNarrowestShort ||
         ellipsoid.sx > kWidestShort || slant > kSteepestShort;
}

std::int32_t tile_layers(std::int64_t slices) { return ceil_div(slices, kTileRowsZ); }

SpanPlan make_span_plan(const Ellipsoid<double>& ellipsoid, const Grid& grid,
                        KernelFunction function, double amplitude, const SpanSamples& samples,
                        const gpu::DeviceInfo& device) {
  SpanPlan plan{};
  plan.ellipsoid = ellipsoid.cast<float>();
  plan.precise = ellipsoid;
  plan.power = function->degree.value();
  const double extents[3] = {ellipsoid.rx, ellipsoid.ry, ellipsoid.sz};
  for (int axis = 0; axis < 3; ++axis) {
    plan.dims[axis] = static_cast<std::int32_t>(grid.dims[axis]);
    plan.reach[axis] =
        static_cast<std::int32_t>(std::ceil(std::min(extents[axis], kFarthestReach))) + 1;
  }
  plan.wide_words = needs_wide_words(ellipsoid, function);
  plan.planes = samples.weighted && !plan.wide_words ? 2 : 1;
  plan.width = plan.wide_words ? 64 : choose_width(ellipsoid, plan.dims[0]);
  // Twice the memory leaves one block a multiprocessor, which pays where a tile holds whole rows.
  if (plan.planes == 2 && plan.dims[0] > 256) plan.width = std::min(plan.width, 128);
  while (plan.width > 32 && span_bytes(plan.width, plan.planes, 2 * plan.power,
                                       plan.wide_words ? 8 : 4) > device.shared)
    plan.width /= 2;
  plan.tiles[0] = ceil_div(plan.dims[0], plan.width);
  plan.tiles[1] = ceil_div(plan.dims[1], kTileRowsY);
  plan.tiles[2] = tile_layers(plan.dims[2]);
  plan.coarse = choose_coarse(plan);
  std::int64_t farthest = 0;  // from a tile's reference cell to a candidate
  for (int axis = 0; axis < 3; ++axis)
    farthest = std::max<std::int64_t>(
        farthest, plan.width + plan.reach[axis] + (std::int64_t{2} << plan.coarse.shift[axis]));
  plan.fraction_bits = std::clamp(31 - bits_for(farthest + 1), 0, 26);
  plan.item = choose_item(plan, samples.count, device.multiprocessors);
  plan.amplitude = amplitude;
  plan.largest_weight = samples.largest_weight;
  return plan;
}

std::string span_refusal(const Ellipsoid<double>& ellipsoid, KernelFunction function) {
  if (!function->degree) return fmt::format("the {} kernel is not a polynomial", function->name);
  const double widest = *function->degree == 3 ? 40 : *function->degree == 2 ? 500 : 1e6;
  const double extent = std::max({ellipsoid.rx, ellipsoid.ry, ellipsoid.sz});
  if (ellipsoid.sx <= widest && extent <= kFarthestReach) return "";
  return fmt::format(
      "{} kernels of {:.3g} cells half width along x lose too many digits in fixed point",
      function->name, ellipsoid.sx);
}

std::int64_t most_items(const SpanPlan& plan, std::int64_t samples, std::int32_t layers) {
  const double visits = visits_a_sample(plan, layers) * static_cast<double>(samples);
  return plan.layer() * layers + static_cast<std::int64_t>(visits / plan.item) + 1;
}

std::string SpanPlan::describe() const {
  return fmt::format(
      "tiles of {} x {} x {} cells, {} candidates an item, {}-bit fixed point{}, coarse "
      "cells of {} x {} x {}",
      width, kTileRowsY, kTileRowsZ, item, wide_words ? 64 : 32,
      planes == 2 ? " in two planes" : "", 1 << coarse.shift[0], 1 << coarse.shift[1],
      1 << coarse.shift[2]);
}

}  // namespace skde::kernels
