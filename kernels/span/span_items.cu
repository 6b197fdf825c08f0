#include "gpu/check.hpp"
#include "kernels/span/row_spans.hpp"
#include "kernels/span/span_ranges.cuh"
#include "kernels/span/span_tiles.cuh"
#include "kernels/warp.cuh"

namespace skde::kernels {
namespace {

constexpr int kListBlock = 128;
/// Most work items of a tile whose candidates are binned along x; tiles with more are dense anyway.
constexpr int kBinnedItems = 32;

/// Upper bounds of what may meet in a cell of a tile: candidates and their weight (the largest is
/// 1), of all items and of one work item.
struct Meeting {
  double count, weight, item_count, item_weight;
};

/// Returns the scale of a tile of `items` items, such that the sums of one and of all items fit.
__device__ TileScale scale_of_tile(const SpanPlan& plan, std::uint32_t items,
                                   const Meeting& meeting) {
  double peak = 1;  // of the polynomial (half width^2 - x^2)^power
  for (int p = 0; p < plan.power; ++p) peak *= plan.precise.sx * plan.precise.sx;
  // Rounded coefficients may raise a kernel by up to a fiftieth above its peak.
  constexpr double kSlack = 1.02, kLargestInt32 = 2.1e9;
  const double largest_sum = plan.wide_words ? 4.6e18 : kLargestInt32;
  // For kernels narrower than a cell, the coefficients exceed the peak.
  const double largest_coefficient = plan.wide_words ? 16 * fmax(peak, 1.0) : peak;
  const double most_weight = fmax(meeting.item_weight, 1 / kWeightOne);
  const double room = largest_sum / (kSlack * most_weight * largest_coefficient);
  // An integer; float must hold it exactly if the kernel computes in float.
  const double one = plan.wide_words ? exp2(floor(log2(room)))
                                     : static_cast<double>(static_cast<float>(floor(room)));
  // Each remainder is below a unit of the first plane; together they are at most the whole weight.
  const double rest = fmin(meeting.item_count, one * most_weight);
  const double finer = fmax(1.0, floor(largest_sum / (kSlack * rest * largest_coefficient)));
  TileScale scale{one, finer, {}, {}};
  for (int plane = 0; plane < plan.planes; ++plane) {
    // The sums of all items of a tile add up in the 32 bits of a cell.
    const double units = plane == 0 ? one : one * finer;
    const double tile_sum =
        kSlack * peak *
        (plane == 0 ? one * meeting.weight : finer * fmin(meeting.count, one * meeting.weight));
    const int shift =
        items > 1 ? max(0, static_cast<int>(ceil(log2(tile_sum / kLargestInt32)))) : 0;
    scale.shift[plane] = shift;
    scale.to_density[plane] = plan.amplitude / (units * peak) * exp2(static_cast<double>(shift));
  }
  return scale;
}

/// Returns the weight of a run of sorted samples; the largest weight is 1.
__device__ double weight_of(const SpanArrays& arrays, const SampleRange& r) {
  if (r.begin == r.end) return 0;
  if (arrays.weight_sums == nullptr) return r.end - r.begin;
  const std::uint64_t before = r.begin > 0 ? arrays.weight_sums[r.begin - 1] : 0;
  return static_cast<double>(arrays.weight_sums[r.end - 1] - before) / kWeightOne;
}

/// Limits the weights to the counts: no weight is above 1.
__device__ Meeting limited(Meeting m) {
  m.weight = fmin(m.weight, m.count);
  m.item_weight = fmin(m.item_weight, m.item_count);
  return m;
}

/// Returns the most candidates and weight within any single reach of a kernel along x. For a long
/// tile they are far fewer than all candidates, which allows finer fixed point. Must be called by
/// all lanes of a warp; `bins` belongs to the warp.
__device__ Meeting most_at_a_cell(const SpanPlan& plan, const CandidateBox& box,
                                  const SpanArrays& arrays, std::uint32_t candidates, double weight,
                                  std::uint32_t (&bins)[kBinnedItems]) {
  constexpr std::uint32_t kFineAnyway = 1024;
  const auto item = static_cast<std::uint32_t>(plan.item);
  const int shift = plan.coarse.shift[0], cells = box.x1 - box.x0 + 1, lane = threadIdx.x % 32;
  const int window = ((2 * plan.reach[0] + (1 << shift) - 1) >> shift) + 1;
  if (min(candidates, item) <= kFineAnyway || window >= cells || candidates > item * kBinnedItems)
    return limited({double(candidates), weight, double(min(candidates, item)), weight});
  Meeting most{};
  std::uint32_t most_of_tile = 0, most_of_item = 0;
  for (int x = box.x0; x + window <= box.x1 + 1; ++x) {
    CandidateBox part = box;
    part.x0 = x;
    part.x1 = x + window - 1;
    bins[lane] = 0;
    __syncwarp();
    std::uint32_t before = 0, met = 0;  // candidates of the ranges so far
    double met_weight = 0;
    for (int first = 0; first < box.ranges(); first += 32) {
      const bool exists = first + lane < box.ranges();
      const SampleRange all =
          exists ? range_at(plan, box, arrays.starts, first + lane) : SampleRange{};
      const SampleRange near =
          exists ? range_at(plan, part, arrays.starts, first + lane) : SampleRange{};
      const std::uint32_t length = all.end - all.begin, count = near.end - near.begin;
      std::uint32_t end = length;
      for (int distance = 1; distance < 32; distance *= 2) {
        const std::uint32_t other = __shfl_up_sync(kAllLanes, end, distance);
        if (lane >= distance) end += other;
      }
      const std::uint32_t begin = before + end - length;
      if (count > 0)
        for (std::uint32_t k = begin / item; k * item < begin + length; ++k)
          atomicAdd(&bins[k], min(count, item));
      before += __shfl_sync(kAllLanes, end, 31);
      met += count;
      met_weight += weight_of(arrays, near);
    }
    __syncwarp();
    most_of_tile = max(most_of_tile, warp_sum(met));
    most_of_item = max(most_of_item, warp_maximum(bins[lane]));
    most.weight = fmax(most.weight, warp_sum(met_weight));
    __syncwarp();
  }
  most.count = most_of_tile;
  most.item_count = min(most_of_item, item);
  most.item_weight = most.weight;
  return limited(most);
}

/// One warp per tile.
__global__ void __launch_bounds__(kListBlock)
    list_kernel(SpanPlan plan, SpanArrays arrays, SpanWindow window, std::uint32_t tiles) {
  const int lane = threadIdx.x % 32;
  const std::uint32_t index = blockIdx.x * (kListBlock / 32) + threadIdx.x / 32;
  if (index >= tiles) return;
  const Tile tile = tile_at(plan, window, index);
  const CandidateBox box = candidate_box(plan, tile);
  std::uint32_t candidates = 0;
  double weight = 0;
  for (int range = lane; range < box.ranges(); range += 32) {
    const SampleRange r = range_at(plan, box, arrays.starts, range);
    candidates += r.end - r.begin;
    weight += weight_of(arrays, r);
  }
  candidates = warp_sum(candidates);
  weight = warp_sum(weight);
  if (!arrays.share.has(tile.x / plan.width, tile.y / kTileRowsY, tile.z / kTileRowsZ))
    candidates = 0;
  Meeting most = limited({double(candidates), weight, double(plan.item), weight});
  if (!plan.wide_words) {
    __shared__ std::uint32_t bins[kListBlock / 32][kBinnedItems];
    most = most_at_a_cell(plan, box, arrays, candidates, weight, bins[threadIdx.x / 32]);
  }
  const std::uint32_t items = (candidates + plan.item - 1) / plan.item;
  std::uint32_t first = 0;
  if (lane == 0) {
    arrays.tile_candidates[index] = candidates;
    arrays.tile_done[index] = 0;
    arrays.tile_scales[index] = scale_of_tile(plan, items, most);
    if (items > 0) first = atomicAdd(arrays.counters, items);
  }
  first = __shfl_sync(kAllLanes, first, 0);
  for (std::uint32_t k = lane; k < items; k += 32) arrays.items[first + k] = {index, k * plan.item};
  if (items == 1) return;
  const int cells = min(plan.width, plan.dims[0] - tile.x);
  for (int row = 0; row < kTileRows; ++row) {
    const std::int32_t y = tile.y + row % kTileRowsY, z = tile.z + row / kTileRowsY;
    if (y >= plan.dims[1] || z >= plan.dims[2]) continue;
    const std::int64_t begin = cell_of_row(plan, window, tile.x, y, z);
    for (int i = lane; i < cells; i += 32) arrays.volume[begin + i] = 0;
    if (arrays.second && items > 1)
      for (int i = lane; i < cells; i += 32) arrays.second[begin + i] = 0;
  }
}

}  // namespace

void list_items(const SpanPlan& plan, const SpanArrays& arrays, SpanWindow window,
                cudaStream_t stream) {
  gpu::check(cudaMemsetAsync(arrays.counters, 0, 2 * sizeof(std::uint32_t), stream),
             "clear the counters");
  const auto tiles = static_cast<std::uint32_t>(plan.layer() * window.layers);
  constexpr std::uint32_t kWarps = kListBlock / 32;
  list_kernel<<<(tiles + kWarps - 1) / kWarps, kListBlock, 0, stream>>>(plan, arrays, window,
                                                                        tiles);
  gpu::check_launch("list the tiles");
}

}  // namespace skde::kernels
