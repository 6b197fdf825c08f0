#include <cub/device/device_scan.cuh>

#include <algorithm>

#include "gpu/check.hpp"
#include "kernels/mixture/member_moments.hpp"
#include "kernels/mixture/member_values.cuh"
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
__global__ void frame_kernel(MomentBoxes boxes, const Member* members, std::size_t count,
                             Symmetric3 kernel, double cut, MemberFrame<Real>* frames,
                             unsigned long long* work) {
  const std::size_t k = static_cast<std::size_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (k >= count) return;
  const Member& member = members[k];
  const Symmetric3 m = (cut * cut) * covariance_of(member, kernel);
  const Ellipsoid<double> e = ellipsoid_of(m.xx, m.xy, m.xz, m.yy, m.yz, m.zz);
  const double half[3] = {e.rx, e.ry, e.sz};
  MemberFrame<Real> frame;
  unsigned long long reached = 1;
  for (int axis = 0; axis < 3; ++axis) {
    // A cell near the grid, so that differences of cells fit 32 bits.
    constexpr double kFar = 1 << 24;
    const double mean = member.mean[axis],
                 near = fmin(fmax(rint(mean), -kFar), kFar + boxes.dims[axis]);
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
  frame.sy = static_cast<Real>(e.sy);
  frame.ex = static_cast<Real>(e.ex);
  frame.inv_sx = static_cast<Real>(e.inv_sx);
  frame.inv_sy = static_cast<Real>(e.inv_sy);
  frame.inv_sz = static_cast<Real>(e.inv_sz);
  frame.bxy = static_cast<Real>(e.bxy);
  frame.bxz = static_cast<Real>(e.bxz);
  frame.bzy = static_cast<Real>(e.bzy);
  constexpr double kConstant = 0.063493635934240970;  // (2 pi)^(-3/2)
  frame.height =
      static_cast<Real>(exp(member.log_mass) * kConstant * cut * cut * cut / (e.sx * e.sy * e.sz));
  for (int axis = 0; axis < 3; ++axis) frame.half[axis] = static_cast<float>(half[axis]);
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

/// A row of cells inside a member's cut Gaussian. Its first cell lies at `start` along x from the
/// mean; there u0 = `u0`. `steep` is what y and z contribute to the exponent.
template <class Real>
struct CellRow {
  std::int32_t begin, count;
  Real start, u0, steep;

  /// The row that lane `from` found.
  __device__ CellRow of_lane(int from) const {
    return {__shfl_sync(kAllLanes, begin, from), __shfl_sync(kAllLanes, count, from),
            __shfl_sync(kAllLanes, start, from), __shfl_sync(kAllLanes, u0, from),
            __shfl_sync(kAllLanes, steep, from)};
  }
};

template <class Real>
__device__ CellRow<Real> row_of(const MemberFrame<Real>& f, Real rate, Real dy, Real dz,
                                std::int32_t nx) {
  const Real u2 = dz * f.inv_sz, u1 = (dy - f.bzy * dz) * f.inv_sy;
  const Real outer = fma(u1, u1, u2 * u2);
  if (!(outer < Real(1))) return {0, 0, 0, 0, 0};
  const Real slant = f.bxy * dy + f.bxz * dz, half = f.sx * root_of(Real(1) - outer);
  const Real middle = f.offset[0] + slant;
  // Conversions saturate, so wide members stay within the row.
  const std::int32_t low = max(-floor_of(half - middle), -f.cell[0]),
                     high = min(floor_of(middle + half), nx - 1 - f.cell[0]);
  const Real start = static_cast<Real>(low) - f.offset[0];
  return {f.cell[0] + low, max(high - low + 1, 0), start, (start - slant) * f.inv_sx, rate * outer};
}

/// Adds a row's cells. Of every kCells * kLanesOfRow cells, a lane takes those at its place plus
/// multiples of kLanesOfRow, so that its loads are under way together.
template <int kCells, class Real>
__device__ void add_row_cells(const Real* cells, const CellRow<Real>& row, Real inv_sx, Real rate,
                              Real dy, Real dz, LaneMoments<Real>& sums) {
  const int place = threadIdx.x % kLanesOfRow;
  for (std::int32_t x = place; x < row.count; x += kCells * kLanesOfRow) {
    Real c[kCells];
#pragma unroll
    for (int k = 0; k < kCells; ++k) {
      const std::int32_t at = x + k * kLanesOfRow;
      c[k] = at < row.count ? cells[at] : Real(0);
    }
    const Real u0 = fma(static_cast<Real>(x), inv_sx, row.u0), step = kLanesOfRow * inv_sx;
    Real zeroth = 0, first = 0, second = 0;  // along k
#pragma unroll
    for (int k = 0; k < kCells; ++k) {
      const Real u = fma(Real(k), step, u0);
      const Real term = c[k] * power_of_half(fma(rate * u, u, row.steep));
      zeroth += term;
      first = fma(term, Real(k), first);
      second = fma(term, Real(k * k), second);
    }
    // d = start + x + kLanesOfRow k
    constexpr Real kStep = kLanesOfRow;
    const Real start = row.start + static_cast<Real>(x);
    const Real along = fma(kStep, first, start * zeroth);
    sums.add_row(zeroth, along,
                 fma(kStep * kStep, second, fma(kStep * start, first, start * along)), dy, dz);
  }
}

/// Adds rows [first, end) of a slice. Each lane finds a row; then kRowsOfWarp rows at a time are
/// added.
template <int kCells, class Real>
__device__ void add_rows(const Real* slice, const MemberFrame<Real>& f, Real rate, Real dz,
                         std::int32_t nx, std::int32_t first, std::int32_t end,
                         LaneMoments<Real>& sums) {
  const int lane = threadIdx.x % 32, of_group = lane / kLanesOfRow;
  for (std::int32_t y = first; y < end; y += 32) {
    const Real dy = static_cast<Real>(y - f.cell[1]) - f.offset[1];
    CellRow<Real> own{0, 0, 0, 0, 0};
    if (y + lane < end) own = row_of(f, rate, dy + static_cast<Real>(lane), dz, nx);
    const std::int32_t rows = min(end - y, 32);
    for (std::int32_t group = 0; group < rows; group += kRowsOfWarp) {
      const int from = group + of_group;
      const CellRow<Real> row = own.of_lane(from);
      const Real* const cells = slice + static_cast<std::int64_t>(y + from) * nx + row.begin;
      add_row_cells<kCells>(cells, row, f.inv_sx, rate, dy + static_cast<Real>(from), dz, sums);
    }
  }
}

/// Adds the cells of a slice, cropped to the rows that the cut Gaussian meets there.
template <class Real>
__device__ void add_cells(const MomentSource<Real>& source, const MemberFrame<Real>& f, Real rate,
                          std::int32_t z, LaneMoments<Real>& sums) {
  const std::int32_t nx = source.boxes.dims[0], ny = source.boxes.dims[1];
  const Real dz = static_cast<Real>(z - f.cell[2]) - f.offset[2], u2 = dz * f.inv_sz;
  const Real left = Real(1) - u2 * u2;
  if (!(left > Real(0))) return;
  const Real root = root_of(left), half = f.sy * root;
  const Real middle = f.offset[1] + f.bzy * dz;
  const std::int32_t above = max(-floor_of(half - middle), f.first[1] - f.cell[1]),
                     below = min(floor_of(middle + half), f.end[1] - 1 - f.cell[1]);
  const std::int32_t first = f.cell[1] + above, end = f.cell[1] + below + 1;
  const Real* const slice = source.cotangents + static_cast<std::int64_t>(z) * ny * nx;
  const Real longest = 2 * f.ex * root;  // of the slice's rows
  if (longest < Real(kLanesOfRow))
    add_rows<1>(slice, f, rate, dz, nx, first, end, sums);
  else if (longest < Real(2 * kLanesOfRow))
    add_rows<2>(slice, f, rate, dz, nx, first, end, sums);
  else if (longest < Real(3 * kLanesOfRow))
    add_rows<3>(slice, f, rate, dz, nx, first, end, sums);
  else
    add_rows<4>(slice, f, rate, dz, nx, first, end, sums);
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
      const Real term = source.cotangents[i] * power_of_half(rate * q), along = term * dx;
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

template <class Real>
void frame_members(const MomentSource<Real>& source, const MomentArrays<Real>& arrays,
                   std::size_t count, const Symmetric3& kernel, double cut, cudaStream_t stream) {
  gpu::check(cudaMemsetAsync(arrays.work, 0, 2 * sizeof(*arrays.work), stream), "clear the work");
  frame_kernel<Real><<<blocks_for(count), kBlock, 0, stream>>>(
      source.boxes, arrays.members, count, kernel, cut, arrays.frames, arrays.work);
  gpu::check_launch("frame the members");
}

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
  frame_members(source, arrays, count, kernel, cut, stream);
  unit_kernel<Real><<<blocks_for(count + 1), kBlock, 0, stream>>>(
      arrays.frames, count, unit_budget(count), arrays.work, arrays.first_unit);
  gpu::check_launch("cut the members into units");
  scan(scratch_bytes);
  name_units_kernel<<<blocks_for(count), kBlock, 0, stream>>>(arrays.first_unit, count,
                                                              arrays.member_of);
  gpu::check_launch("name the units of members");
  launch_gather(source, arrays, count, rate_of(cut), multiprocessors, stream);
  add_units_kernel<<<blocks_for(count * kMemberParameters), kBlock, 0, stream>>>(
      arrays.parts, arrays.first_unit, count, arrays.moments);
  gpu::check_launch("add the units of members");
}

template void frame_members(const MomentSource<float>&, const MomentArrays<float>&, std::size_t,
                            const Symmetric3&, double, cudaStream_t);
template void frame_members(const MomentSource<double>&, const MomentArrays<double>&, std::size_t,
                            const Symmetric3&, double, cudaStream_t);
template void gather_moments(const MomentSource<float>&, const MomentArrays<float>&, std::size_t,
                             const Symmetric3&, double, int, void*, std::size_t&, cudaStream_t);
template void gather_moments(const MomentSource<double>&, const MomentArrays<double>&, std::size_t,
                             const Symmetric3&, double, int, void*, std::size_t&, cudaStream_t);

}  // namespace skde::kernels
