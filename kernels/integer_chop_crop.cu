// Compiled without fused products and sums. Each operation is rounded as on the CPU, in the same
// order (engines/cpu/span/slice_spans.hpp and integer_rows.cpp).

#include <algorithm>

#include "core/kernel/integer_profile.hpp"
#include "gpu/check.hpp"
#include "kernels/integer_chop_crop.hpp"

namespace skde::kernels {
namespace {

constexpr int kBlock = 256, kWarp = 32;
/// Cells of a row that are added together. As in a vector of the CPU, they count from the row's
/// first cell, because each distance is rounded relative to that of the vector's first cell.
constexpr int kLanes = 8;

struct SumFrame {
  double lower[3], spacing[3], half[3];
  std::int32_t dims[3];
  std::int32_t first, slices;  ///< slices along z that are summed
  std::int32_t reach;          ///< slices from a sample's cell to the end of its kernel
  std::int32_t visits;         ///< most slices of a sample
};

SumFrame frame_of(const Grid& grid, const Ellipsoid<double>& e, SliceRange part) {
  SumFrame frame{};
  const double half[3] = {e.rx, e.ry, e.sz};
  for (int axis = 0; axis < 3; ++axis) {
    frame.lower[axis] = grid.lower[axis];
    frame.spacing[axis] = grid.spacing[axis];
    frame.half[axis] = half[axis];
    frame.dims[axis] = static_cast<std::int32_t>(grid.dims[static_cast<std::size_t>(axis)]);
  }
  frame.first = static_cast<std::int32_t>(part.first);
  frame.slices = static_cast<std::int32_t>(part.count);
  frame.reach = static_cast<std::int32_t>(std::min(std::ceil(e.sz) + 1, 1e9));
  frame.visits = std::min(2 * frame.reach + 1, frame.slices);
  return frame;
}

__global__ void place_kernel(DevicePoints points, SumFrame frame, double scale,
                             IntegerSample* samples) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (i >= points.count) return;
  constexpr double kFarthestCell = 2147483646.0;
  IntegerSample sample;
  bool reaches = true;
  for (int axis = 0; axis < 3; ++axis) {
    const double at = (points.xyz[3 * i + axis] - frame.lower[axis]) / frame.spacing[axis] - 0.5;
    const double last = frame.dims[axis] - 1;
    reaches = reaches && at + frame.half[axis] > 0 && at - frame.half[axis] < last;
    const double cell = fmin(fmax(rint(at), -kFarthestCell), kFarthestCell);
    sample.cell[axis] = static_cast<std::int32_t>(cell);
    sample.offset[axis] = at - cell;
  }
  const double weight = points.weights ? points.weights[i] : 1.0;
  sample.weight = reaches && weight > 0 ? scale * weight : 0;
  samples[i] = sample;
}

/// Values that are equal for all cells of one slice of a sample's kernel.
struct SliceCut {
  double dz, rest;  ///< rest: 1 - u2^2
  IndexRange y;
};

__device__ SliceCut cut_of(const IntegerSample& s, const Ellipsoid<double>& e, std::int32_t z,
                           std::int32_t ny) {
  const double dz = cells_from(s.cell[2], s.offset[2], z);
  const double u2 = dz * e.inv_sz, rest = 1.0 - u2 * u2;
  if (!(rest > 0.0)) return {dz, rest, {}};
  return {dz, rest, cells_within(s.offset[1] + e.bzy * dz, sqrt(rest) * e.sy, ny, s.cell[1])};
}

/// Adds the kernel to the cells of row y.begin + k. kLanes threads share it; this is `lane`.
template <class Profile>
__device__ void add_row(const IntegerSample& s, const SliceCut& cut, const Ellipsoid<double>& e,
                        const Profile& profile, std::int32_t k, std::int32_t nx, int lane,
                        std::int64_t sign, std::int64_t* slice) {
  const double dy = cells_from(s.cell[1], s.offset[1], cut.y.begin) + static_cast<double>(k);
  const double u1 = (dy - e.bzy * cut.dz) * e.inv_sy;
  const double r2 = fmax(cut.rest - u1 * u1, 0.0);
  const double half = e.sx * sqrt(r2);
  const double centre = s.offset[0] + (e.bxy * dy + e.bxz * cut.dz);
  const double cell = s.cell[0], columns = nx;
  const double left = cell + ceil(centre - half), right = cell + floor(centre + half) + 1.0;
  const auto first = static_cast<std::int32_t>(fmin(fmax(left, 0.0), columns));
  const auto end = static_cast<std::int32_t>(fmin(fmax(right, 0.0), columns));
  std::int64_t* const row = slice + static_cast<std::int64_t>(cut.y.begin + k) * nx;
  for (std::int32_t x = first; x < end; x += kLanes) {
    const double distance = static_cast<double>(std::int64_t{x} - s.cell[0]) - centre;
    const double u0 = (static_cast<double>(lane) + distance) * e.inv_sx;
    std::int64_t whole = 0;
    add_whole_profile(whole, profile, r2 - u0 * u0, s.weight);
    if (whole != 0 && x + lane < nx)
      atomicAdd(reinterpret_cast<unsigned long long*>(row + x + lane),
                static_cast<unsigned long long>(sign * whole));
  }
}

/// A warp takes a slice of a sample's kernel; each quarter of the warp takes a row at a time.
template <class Profile>
__global__ void __launch_bounds__(kBlock)
    sum_kernel(const IntegerSample* samples, std::int64_t count, SumFrame frame,
               Ellipsoid<double> e, Profile profile, std::int64_t sign, std::int64_t* sums) {
  const int lane = threadIdx.x % kWarp;
  const std::int64_t tasks = count * frame.visits, end = frame.first + frame.slices;
  const std::int64_t warps = static_cast<std::int64_t>(gridDim.x) * (kBlock / kWarp);
  for (std::int64_t t =
           static_cast<std::int64_t>(blockIdx.x) * (kBlock / kWarp) + threadIdx.x / kWarp;
       t < tasks; t += warps) {
    const IntegerSample& s = samples[t / frame.visits];
    if (!(s.weight > 0)) continue;
    const std::int64_t lowest = std::int64_t{s.cell[2]} - frame.reach;
    const std::int64_t z = (lowest > frame.first ? lowest : frame.first) + t % frame.visits;
    if (z >= end) continue;
    const SliceCut cut = cut_of(s, e, static_cast<std::int32_t>(z), frame.dims[1]);
    std::int64_t* const slice = sums + (z - frame.first) * frame.dims[0] * frame.dims[1];
    for (std::int32_t k = lane / kLanes; k < cut.y.size(); k += kWarp / kLanes)
      add_row(s, cut, e, profile, k, frame.dims[0], lane % kLanes, sign, slice);
  }
}

}  // namespace

void place_integer_samples(const DevicePoints& points, const Grid& grid,
                           const Ellipsoid<double>& ellipsoid, double scale, IntegerSample* samples,
                           cudaStream_t stream) {
  if (points.count == 0) return;
  const auto blocks = static_cast<unsigned>((points.count + kBlock - 1) / kBlock);
  place_kernel<<<blocks, kBlock, 0, stream>>>(points, frame_of(grid, ellipsoid, {0, 1}), scale,
                                              samples);
  gpu::check_launch("place the samples");
}

void add_integer_samples(const IntegerSample* samples, std::int64_t count, const Grid& grid,
                         const Kernel& kernel, const Ellipsoid<double>& ellipsoid, SliceRange part,
                         std::int64_t sign, std::int64_t* sums, int multiprocessors,
                         cudaStream_t stream) {
  if (count == 0 || part.count == 0) return;
  constexpr unsigned kBlocksAProcessor = 8;
  const SumFrame frame = frame_of(grid, ellipsoid, part);
  const unsigned blocks = kBlocksAProcessor * static_cast<unsigned>(multiprocessors);
  with_profile(kernel, [&]<class Profile>(const Profile& profile) {
    if constexpr (kHasIntegers<Profile>)  // make_integer_sums() refuses other rows
      sum_kernel<<<blocks, kBlock, 0, stream>>>(samples, count, frame, ellipsoid, profile, sign,
                                                sums);
  });
  gpu::check_launch("add integers");
}

}  // namespace skde::kernels
