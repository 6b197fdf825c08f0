#include <cub/device/device_scan.cuh>

#include <algorithm>

#include "core/kernel/exponential.hpp"
#include "gpu/check.hpp"
#include "kernels/mixture/member_moments.hpp"
#include "kernels/warp.cuh"

namespace skde::kernels {
namespace {

constexpr int kBlock = 256;
/// A warp's lanes take this many cells of a row, and the rest of them other rows.
constexpr int kLanesOfRow = 8, kRowsOfWarp = 32 / kLanesOfRow;

unsigned blocks_for(std::size_t items) {
  return static_cast<unsigned>((items + kBlock - 1) / kBlock);
}

/// Returns the box of a place along an axis, between -1 and the number of boxes.
__device__ std::int32_t box_at(const MomentBoxes& boxes, double place, int axis) {
  const double at = floor((place - boxes.lowest[axis]) / boxes.edge[axis]);
  return static_cast<std::int32_t>(fmin(fmax(at, -1.0), static_cast<double>(boxes.dims[axis])));
}

/// Writes the frames of members, and adds up the boxes that they reach.
template <class Real>
__global__ void frame_kernel(MomentBoxes boxes, const Member* members,
                             std::size_t count, Symmetric3 kernel, double cut,
                             MemberFrame<Real>* frames, unsigned long long* work) {
  const std::size_t k = static_cast<std::size_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (k >= count) return;
  const Member& member = members[k];
  const Symmetric3 m = (cut * cut) * covariance_of(member, kernel);
  const Ellipsoid<double> e = ellipsoid_of(m.xx, m.xy, m.xz, m.yy, m.yz, m.zz);
  const double half[3] = {e.rx, e.ry, e.sz};
  MemberFrame<Real> frame;
  unsigned long long reached = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const double mean = member.mean[axis], near = fmin(fmax(rint(mean), -2e9), 2e9);
    frame.cell[axis] = static_cast<std::int32_t>(near);
    frame.offset[axis] = static_cast<Real>(mean - near);
    std::int32_t first = box_at(boxes, mean - half[axis], axis),
                 last = box_at(boxes, mean + half[axis], axis);
    first = max(first, 0);
    last = min(last, boxes.dims[axis] - 1);
    frame.first[axis] = first;
    frame.end[axis] = last + 1;
    reached *= static_cast<unsigned long long>(max(last + 1 - first, 0));
  }
  frame.sx = static_cast<Real>(e.sx);
  frame.inv_sx = static_cast<Real>(e.inv_sx);
  frame.inv_sy = static_cast<Real>(e.inv_sy);
  frame.inv_sz = static_cast<Real>(e.inv_sz);
  frame.bxy = static_cast<Real>(e.bxy);
  frame.bxz = static_cast<Real>(e.bxz);
  frame.bzy = static_cast<Real>(e.bzy);
  frames[k] = frame;
  atomicAdd(work, reached);
}

/// Writes how many units a member is cut into: 1, and its share of as many again.
template <class Real>
__global__ void unit_kernel(const MemberFrame<Real>* frames, std::size_t count,
                            std::uint32_t budget, const unsigned long long* work,
                            std::uint32_t* units) {
  const std::size_t k = static_cast<std::size_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (k > count) return;
  if (k == count) {
    units[k] = 0;
    return;
  }
  const MemberFrame<Real>& frame = frames[k];
  double reached = 1;
  for (int axis = 0; axis < 3; ++axis)
    reached *= static_cast<double>(max(frame.end[axis] - frame.first[axis], 0));
  const double share = floor(budget * reached / fmax(static_cast<double>(*work), 1.0));
  const std::int32_t slices = max(frame.end[2] - frame.first[2], 1);
  units[k] = 1 + min(static_cast<std::uint32_t>(share), static_cast<std::uint32_t>(slices - 1));
}

__global__ void name_units_kernel(const std::uint32_t* first_unit, std::size_t count,
                                  std::uint32_t* member_of) {
  const std::size_t k = static_cast<std::size_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (k >= count) return;
  for (std::uint32_t u = first_unit[k]; u < first_unit[k + 1]; ++u)
    member_of[u] = static_cast<std::uint32_t>(k);
}

template <class Real>
struct LaneMoments {
  Real of[kMemberParameters] = {};

  __device__ void add_row(Real zeroth, Real first, Real second, Real dy, Real dz) {
    const Real y = zeroth * dy, z = zeroth * dz;
    of[0] += zeroth;
    of[1] += first;
    of[2] += y;
    of[3] += z;
    of[4] += second;
    of[5] = fma(first, dy, of[5]);
    of[6] = fma(first, dz, of[6]);
    of[7] = fma(y, dy, of[7]);
    of[8] = fma(y, dz, of[8]);
    of[9] = fma(z, dz, of[9]);
  }
};

/// Returns d of a cell from the member's mean. The cell may be far from it.
template <class Real>
__device__ Real distance(std::int32_t cell, const MemberFrame<Real>& frame, int axis) {
  return static_cast<Real>(static_cast<std::int64_t>(cell) - frame.cell[axis]) - frame.offset[axis];
}

template <class Real>
__device__ void add_cells(const MomentSource<Real>& source, const MemberFrame<Real>& f, Real rate,
                          std::int32_t z, LaneMoments<Real>& sums) {
  const int lane = threadIdx.x % 32;
  const std::int32_t nx = source.boxes.dims[0];
  const Real dz = distance(z, f, 2), u2 = dz * f.inv_sz;
  for (std::int32_t y = f.first[1] + lane / kLanesOfRow; y < f.end[1]; y += kRowsOfWarp) {
    const Real dy = distance(y, f, 1), u1 = (dy - f.bzy * dz) * f.inv_sy;
    const Real outer = fma(u1, u1, u2 * u2);
    if (!(outer < Real(1))) continue;
    const Real slant = f.bxy * dy + f.bxz * dz, half = f.sx * sqrt(Real(1) - outer);
    const Real middle = f.offset[0] + slant;
    const std::int64_t low = f.cell[0] + static_cast<std::int64_t>(ceil(middle - half)),
                       high = f.cell[0] + static_cast<std::int64_t>(floor(middle + half));
    const auto begin = static_cast<std::int32_t>(max(low, std::int64_t{0})),
               last = static_cast<std::int32_t>(min(high, std::int64_t{nx} - 1));
    const Real* const row =
        source.cotangents + (static_cast<std::int64_t>(z) * source.boxes.dims[1] + y) * nx;
    const Real start = distance(begin, f, 0), steep = rate * outer;
    Real zeroth = 0, first = 0, second = 0;
    for (std::int32_t x = begin + lane % kLanesOfRow; x <= last; x += kLanesOfRow) {
      const Real d = start + static_cast<Real>(x - begin), u0 = (d - slant) * f.inv_sx;
      const Real term = row[x] * exp_of_negative(-fma(rate * u0, u0, steep));
      const Real along = term * d;
      zeroth += term;
      first += along;
      second = fma(along, d, second);
    }
    sums.add_row(zeroth, first, second, dy, dz);
  }
}

template <class Real>
__device__ void add_points(const MomentSource<Real>& source, const MemberFrame<Real>& f, Real rate,
                           std::int32_t z, LaneMoments<Real>& sums) {
  const int lane = threadIdx.x % 32;
  const std::int32_t* const dims = source.boxes.dims;
  for (std::int32_t y = f.first[1]; y < f.end[1]; ++y) {
    const std::int64_t row = (static_cast<std::int64_t>(z) * dims[1] + y) * dims[0];
    const std::uint32_t first = source.starts[row + f.first[0]],
                        last = source.starts[row + f.end[0]];
    for (std::uint32_t i = first + lane; i < last; i += 32) {
      const auto from = [&](const double* places, int axis) {
        return static_cast<Real>(places[i] - f.cell[axis]) - f.offset[axis];
      };
      const Real dx = from(source.x, 0), dy = from(source.y, 1), dz = from(source.z, 2);
      const Real u2 = dz * f.inv_sz, u1 = (dy - f.bzy * dz) * f.inv_sy,
                 u0 = (dx - f.bxy * dy - f.bxz * dz) * f.inv_sx;
      const Real q = fma(u0, u0, fma(u1, u1, u2 * u2));
      if (!(q < Real(1))) continue;
      const Real term = source.cotangents[i] * exp_of_negative(-rate * q), along = term * dx;
      sums.add_row(term, along, along * dx, dy, dz);
    }
  }
}

template <class Real, bool kPoints>
__global__ void __launch_bounds__(kBlock)
    gather_kernel(const __grid_constant__ MomentSource<Real> source,
                  const __grid_constant__ MomentArrays<Real> arrays, std::uint32_t members,
                  double rate) {
  const int lane = threadIdx.x % 32;
  const std::uint32_t units = arrays.first_unit[members];
  for (;;) {
    unsigned long long next = 0;
    if (lane == 0) next = atomicAdd(arrays.work + 1, 1ull);
    const auto unit = static_cast<std::uint32_t>(__shfl_sync(kAllLanes, next, 0));
    if (unit >= units) return;
    const std::uint32_t k = arrays.member_of[unit], first = arrays.first_unit[k];
    const std::int64_t number = unit - first, of = arrays.first_unit[k + 1] - first;
    const MemberFrame<Real> frame = arrays.frames[k];
    const std::int64_t slices = max(frame.end[2] - frame.first[2], 0);
    const auto begin = frame.first[2] + static_cast<std::int32_t>(slices * number / of),
               end = frame.first[2] + static_cast<std::int32_t>(slices * (number + 1) / of);
    LaneMoments<Real> sums;
    for (std::int32_t z = begin; z < end; ++z)
      if constexpr (kPoints)
        add_points(source, frame, static_cast<Real>(rate), z, sums);
      else
        add_cells(source, frame, static_cast<Real>(rate), z, sums);
    for (int i = 0; i < kMemberParameters; ++i) {
      const double sum = warp_sum(static_cast<double>(sums.of[i]));
      if (lane == 0) arrays.parts[unit].of[i] = sum;
    }
  }
}

/// Adds the units of each member in their order.
__global__ void add_units_kernel(const MemberMoments* parts, const std::uint32_t* first_unit,
                                 std::size_t count, MemberMoments* moments) {
  const std::size_t at = static_cast<std::size_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (at >= count * kMemberParameters) return;
  const std::size_t k = at / kMemberParameters, i = at % kMemberParameters;
  double sum = 0;
  for (std::uint32_t u = first_unit[k]; u < first_unit[k + 1]; ++u) sum += parts[u].of[i];
  moments[k].of[i] = sum;
}

std::uint32_t unit_budget(std::size_t count) { return static_cast<std::uint32_t>(count) + 8192; }

template <class Real>
void launch_gather(const MomentSource<Real>& source, const MomentArrays<Real>& arrays,
                   std::size_t count, double rate, int multiprocessors, cudaStream_t stream) {
  const auto kernel = source.starts ? gather_kernel<Real, true> : gather_kernel<Real, false>;
  int resident = 0;
  gpu::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, kBlock, 0),
             "size the moments of members");
  kernel<<<static_cast<unsigned>(std::max(1, resident * multiprocessors)), kBlock, 0, stream>>>(
      source, arrays, static_cast<std::uint32_t>(count), rate);
  gpu::check_launch("sum the moments of members");
}

}  // namespace

std::size_t most_moment_units(std::size_t count) { return count + unit_budget(count); }

template <class Real>
void gather_moments(const MomentSource<Real>& source, const MomentArrays<Real>& arrays,
                    std::size_t count, const Symmetric3& kernel, double cut, int multiprocessors,
                    void* scratch, std::size_t& scratch_bytes, cudaStream_t stream) {
  const auto scan = [&](std::size_t& bytes) {
    gpu::check(cub::DeviceScan::ExclusiveSum(scratch, bytes, arrays.first_unit, arrays.first_unit,
                                             static_cast<int>(count + 1), stream),
               "number the units of members");
  };
  if (!scratch) return scan(scratch_bytes);
  gpu::check(cudaMemsetAsync(arrays.work, 0, 2 * sizeof(*arrays.work), stream), "clear the work");
  frame_kernel<Real><<<blocks_for(count), kBlock, 0, stream>>>(
      source.boxes, arrays.members, count, kernel, cut, arrays.frames,
      arrays.work);
  gpu::check_launch("frame the members");
  unit_kernel<Real><<<blocks_for(count + 1), kBlock, 0, stream>>>(
      arrays.frames, count, unit_budget(count), arrays.work, arrays.first_unit);
  gpu::check_launch("cut the members into units");
  scan(scratch_bytes);
  name_units_kernel<<<blocks_for(count), kBlock, 0, stream>>>(arrays.first_unit, count,
                                                              arrays.member_of);
  gpu::check_launch("name the units of members");
  launch_gather(source, arrays, count, cut * cut / 2, multiprocessors, stream);
  add_units_kernel<<<blocks_for(count * kMemberParameters), kBlock, 0, stream>>>(
      arrays.parts, arrays.first_unit, count, arrays.moments);
  gpu::check_launch("add the units of members");
}

template void gather_moments(const MomentSource<float>&, const MomentArrays<float>&, std::size_t,
                             const Symmetric3&, double, int, void*, std::size_t&, cudaStream_t);
template void gather_moments(const MomentSource<double>&, const MomentArrays<double>&, std::size_t,
                             const Symmetric3&, double, int, void*, std::size_t&, cudaStream_t);

}  // namespace skde::kernels
