#include "gpu/check.hpp"
#include "kernels/mixture/member_moments.hpp"
#include "kernels/mixture/member_values.cuh"
#include "kernels/warp.cuh"

namespace skde::kernels {
namespace {

/// Threads of a block that sums points; each has one, and looks at one member at a time.
constexpr int kPointBlock = 128;

/// The smallest and the largest of a block's values, in every thread.
struct Extent {
  float low, high;
};
__device__ Extent block_extent(float value, bool counts) {
  __shared__ Extent of_warp[kPointBlock / 32];
  Extent extent{counts ? value : INFINITY, counts ? value : -INFINITY};
  for (int apart = 16; apart > 0; apart /= 2) {
    extent.low = fminf(extent.low, __shfl_xor_sync(kAllLanes, extent.low, apart));
    extent.high = fmaxf(extent.high, __shfl_xor_sync(kAllLanes, extent.high, apart));
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = extent;
  __syncthreads();
  for (const Extent& other : of_warp) {
    extent.low = fminf(extent.low, other.low);
    extent.high = fmaxf(extent.high, other.high);
  }
  return extent;
}

/// Sums members at points: a block finds those that reach the box of its points, kPointBlock at a
/// time, and each thread adds them at its own point in their order.
template <class Real>
__global__ void __launch_bounds__(kPointBlock)
    point_value_kernel(MomentSource<Real> source, const MemberFrame<Real>* frames,
                       std::uint32_t members, std::uint32_t points, Real rate, Real* values) {
  __shared__ std::uint32_t queue[kPointBlock];
  __shared__ std::uint32_t found_by_warp[kPointBlock / 32];
  const std::uint32_t i = blockIdx.x * kPointBlock + threadIdx.x;
  const bool counts = i < points;
  const double x = counts ? source.x[i] : 0, y = counts ? source.y[i] : 0,
               z = counts ? source.z[i] : 0;
  const Extent box[3] = {block_extent(static_cast<float>(x), counts),
                         block_extent(static_cast<float>(y), counts),
                         block_extent(static_cast<float>(z), counts)};
  double sum = 0;
  for (std::uint32_t first = 0; first < members; first += kPointBlock) {
    const std::uint32_t k = first + threadIdx.x;
    bool reaches = k < members;
    for (int axis = 0; axis < 3 && reaches; ++axis) {
      constexpr float kRounding = 1.00001f;
      const auto mean = static_cast<float>(static_cast<double>(frames[k].cell[axis]) +
                                           static_cast<double>(frames[k].offset[axis]));
      const float half = kRounding * frames[k].half[axis] + 1e-5f * fabsf(mean);
      reaches = mean + half >= box[axis].low && mean - half <= box[axis].high;
    }
    const unsigned found = __ballot_sync(kAllLanes, reaches);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane == 0) found_by_warp[warp] = __popc(found);
    __syncthreads();
    std::uint32_t before = 0, all = 0;
    for (int w = 0; w < kPointBlock / 32; ++w) {
      if (w < warp) before += found_by_warp[w];
      all += found_by_warp[w];
    }
    if (reaches) queue[before + __popc(found & ((1u << lane) - 1))] = k;
    __syncthreads();
    for (std::uint32_t n = 0; n < all && counts; ++n) {
      const MemberFrame<Real>& f = frames[queue[n]];
      const Real dx = static_cast<Real>(x - f.cell[0]) - f.offset[0],
                 dy = static_cast<Real>(y - f.cell[1]) - f.offset[1],
                 dz = static_cast<Real>(z - f.cell[2]) - f.offset[2];
      const Real u2 = dz * f.inv_sz, u1 = (dy - f.bzy * dz) * f.inv_sy,
                 u0 = (dx - f.bxy * dy - f.bxz * dz) * f.inv_sx;
      const Real q = fma(u0, u0, fma(u1, u1, u2 * u2));
      if (q < Real(1)) sum += static_cast<double>(f.height * power_of_half(rate * q));
    }
    __syncthreads();
  }
  if (counts) values[i] = static_cast<Real>(sum);
}

}  // namespace

template <class Real>
void sum_at_points(const MomentSource<Real>& source, const MemberFrame<Real>* frames,
                   std::size_t count, std::size_t points, double cut, Real* values,
                   cudaStream_t stream) {
  if (points == 0) return;
  point_value_kernel<Real>
      <<<static_cast<unsigned>((points + kPointBlock - 1) / kPointBlock), kPointBlock, 0, stream>>>(
          source, frames, static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(points),
          static_cast<Real>(rate_of(cut)), values);
  gpu::check_launch("sum the members at points");
}

template void sum_at_points(const MomentSource<float>&, const MemberFrame<float>*, std::size_t,
                            std::size_t, double, float*, cudaStream_t);
template void sum_at_points(const MomentSource<double>&, const MemberFrame<double>*, std::size_t,
                            std::size_t, double, double*, cudaStream_t);

}  // namespace skde::kernels
