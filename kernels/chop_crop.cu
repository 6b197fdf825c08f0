#include <cub/device/device_scan.cuh>

#include "gpu/check.hpp"
#include "kernels/chop_crop.hpp"

namespace skde::kernels {
namespace {

constexpr int kBlock = 256;

unsigned blocks_for(std::int64_t items) {
  return static_cast<unsigned>((items + kBlock - 1) / kBlock);
}

/// Returns the slices of a sample, relative to its own cell: the chop of core/kernel/ellipsoid.hpp,
/// about a centre near 0, so that its rounding does not grow with the grid.
template <class Real>
__device__ IndexRange slices_of(const LocatedSample<Real>& s, const Ellipsoid<Real>& e,
                                GridDims dims) {
  if (!(s.weight > Real(0))) return {};
  return chop(e, s.offset[2], dims.z, s.cell[2]);
}

template <class Real>
__global__ void chop_kernel(const LocatedSample<Real>* samples, std::int64_t count,
                            Ellipsoid<Real> e, GridDims dims, std::int32_t* counts) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (i > count) return;
  counts[i] = i < count ? slices_of(samples[i], e, dims).size() : 0;
}

/// Returns the last sample whose slices begin at or before `slice`.
__device__ std::int64_t sample_of_slice(const std::int64_t* offsets, std::int64_t count,
                                        std::int64_t slice) {
  std::int64_t first = 0, last = count;
  while (last - first > 1) {
    const std::int64_t middle = first + (last - first) / 2;
    if (offsets[middle] <= slice)
      first = middle;
    else
      last = middle;
  }
  return first;
}

template <class Real>
__global__ void crop_kernel(const LocatedSample<Real>* samples, const std::int64_t* offsets,
                            std::int64_t count, std::int64_t first_slice, std::int64_t slices,
                            Ellipsoid<Real> e, GridDims dims, SliceTask* tasks) {
  const std::int64_t t = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (t >= slices) return;
  const std::int64_t slice = first_slice + t;
  const std::int64_t i = sample_of_slice(offsets, count, slice);
  const LocatedSample<Real> s = samples[i];
  const auto nth = static_cast<std::int32_t>(slice - offsets[i]);
  const std::int32_t z = slices_of(s, e, dims).begin + nth;
  const Real dz = static_cast<Real>(z - s.cell[2]) - s.offset[2];
  const GridRange range =
      crop(e, s.offset[0], s.offset[1], dz, dims.x, dims.y, s.cell[0], s.cell[1]);
  tasks[t] = {static_cast<std::uint32_t>(i),
              z,
              range.x.begin,
              range.y.begin,
              range.x.size(),
              range.y.size()};
}

/// A warp takes a slice; its lanes take the cells of the cropped box in row order. Neighbours in a
/// row are neighbours in memory, so their atomics coalesce.
template <class Profile, class Real>
__device__ void accumulate_slice(const SliceTask& task, const LocatedSample<Real>& s,
                                 const Ellipsoid<Real>& e, const Profile& profile, GridDims dims,
                                 Real* volume, int lane) {
  const Real dz = static_cast<Real>(task.z - s.cell[2]) - s.offset[2];
  const Real dy0 = static_cast<Real>(task.y - s.cell[1]) - s.offset[1];
  const Real dx0 = static_cast<Real>(task.x - s.cell[0]) - s.offset[0];
  const Real u2 = dz * e.inv_sz, u2_squared = u2 * u2;
  const int row_step = 32 / task.width, column_step = 32 % task.width;
  int row = lane / task.width, column = lane % task.width;
  Real* const corner =
      volume + (static_cast<std::int64_t>(task.z) * dims.y + task.y) * dims.x + task.x;
  while (row < task.height) {
    const Real dy = dy0 + static_cast<Real>(row), dx = dx0 + static_cast<Real>(column);
    const Real u1 = (dy - e.bzy * dz) * e.inv_sy;
    const Real u0 = (dx - e.bxy * dy - e.bxz * dz) * e.inv_sx;
    const Real q = u0 * u0 + u1 * u1 + u2_squared;
    if (q < Real(1))
      atomicAdd(corner + static_cast<std::int64_t>(row) * dims.x + column,
                s.weight * profile.value(q));
    row += row_step;
    column += column_step;
    if (column >= task.width) {
      column -= task.width;
      ++row;
    }
  }
}

template <class Profile, class Real>
__global__ void __launch_bounds__(AccumulatePolicy::kBlock)
    accumulate_kernel(const LocatedSample<Real>* samples, const SliceTask* tasks,
                      std::int64_t slices, Ellipsoid<Real> e, Profile profile, GridDims dims,
                      Real* volume) {
  const int lane = threadIdx.x % 32;
  const std::int64_t warps = static_cast<std::int64_t>(gridDim.x) * (blockDim.x / 32);
  std::int64_t t = static_cast<std::int64_t>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32;
  for (; t < slices; t += warps) {
    const SliceTask task = tasks[t];
    if (task.width > 0 && task.height > 0)
      accumulate_slice(task, samples[task.sample], e, profile, dims, volume, lane);
  }
}

}  // namespace

template <class Real>
void chop_samples(const LocatedSample<Real>* samples, std::int64_t count, const Ellipsoid<Real>& e,
                  GridDims dims, std::int32_t* counts, cudaStream_t stream) {
  chop_kernel<<<blocks_for(count + 1), kBlock, 0, stream>>>(samples, count, e, dims, counts);
  gpu::check_launch("chop");
}

std::size_t scan_scratch_bytes(std::int64_t count) {
  std::size_t bytes = 0;
  gpu::check(cub::DeviceScan::ExclusiveScan(nullptr, bytes, static_cast<std::int32_t*>(nullptr),
                                            static_cast<std::int64_t*>(nullptr),
                                            cuda::std::plus<>{}, std::int64_t{0}, count + 1),
             "size the scan");
  return bytes;
}

void scan_counts(const std::int32_t* counts, std::int64_t* offsets, std::int64_t count,
                 void* scratch, std::size_t scratch_bytes, cudaStream_t stream) {
  gpu::check(
      cub::DeviceScan::ExclusiveScan(scratch, scratch_bytes, counts, offsets, cuda::std::plus<>{},
                                     std::int64_t{0}, count + 1, stream),
      "scan the slice counts");
}

template <class Real>
void crop_slices(const LocatedSample<Real>* samples, const std::int64_t* offsets,
                 std::int64_t count, std::int64_t first_slice, std::int64_t slices,
                 const Ellipsoid<Real>& e, GridDims dims, SliceTask* tasks, cudaStream_t stream) {
  if (slices == 0) return;
  crop_kernel<<<blocks_for(slices), kBlock, 0, stream>>>(samples, offsets, count, first_slice,
                                                         slices, e, dims, tasks);
  gpu::check_launch("crop");
}

template <class Real>
void accumulate_slices(const LocatedSample<Real>* samples, const SliceTask* tasks,
                       std::int64_t slices, const Kernel& kernel, const Ellipsoid<Real>& e,
                       GridDims dims, Real* volume, const AccumulatePolicy& policy,
                       cudaStream_t stream) {
  if (slices == 0) return;
  const auto grid = static_cast<unsigned>(policy.blocks),
             block = static_cast<unsigned>(AccumulatePolicy::kBlock);
  with_profile(kernel, [&](const auto& profile) {
    accumulate_kernel<<<grid, block, 0, stream>>>(samples, tasks, slices, e, profile, dims, volume);
  });
  gpu::check_launch("accumulate");
}

#define SKDE_INSTANTIATE(Real)                                                                     \
  template void chop_samples<Real>(const LocatedSample<Real>*, std::int64_t,                       \
                                   const Ellipsoid<Real>&, GridDims, std::int32_t*, cudaStream_t); \
  template void crop_slices<Real>(const LocatedSample<Real>*, const std::int64_t*, std::int64_t,   \
                                  std::int64_t, std::int64_t, const Ellipsoid<Real>&, GridDims,    \
                                  SliceTask*, cudaStream_t);                                       \
  template void accumulate_slices<Real>(const LocatedSample<Real>*, const SliceTask*,              \
                                        std::int64_t, const Kernel&, const Ellipsoid<Real>&,       \
                                        GridDims, Real*, const AccumulatePolicy&, cudaStream_t);
SKDE_INSTANTIATE(float)
SKDE_INSTANTIATE(double)
#undef SKDE_INSTANTIATE

}  // namespace skde::kernels
