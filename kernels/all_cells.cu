#include "gpu/check.hpp"
#include "kernels/all_cells.hpp"

namespace skde::kernels {
namespace {

template <class Profile, class Real>
__global__ void __launch_bounds__(AllCellsPolicy::kBlock)
    all_cells_kernel(const LocatedSample<Real>* samples, std::int64_t count, std::int64_t tile,
                     Ellipsoid<Real> e, Profile profile, GridDims dims, Real* volume) {
  const std::int64_t cell = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t plane = static_cast<std::int64_t>(dims.x) * dims.y;
  if (cell >= plane * dims.z) return;
  const auto z = static_cast<std::int32_t>(cell / plane);
  const auto in_plane = cell - z * plane;
  const auto y = static_cast<std::int32_t>(in_plane / dims.x);
  const auto x = static_cast<std::int32_t>(in_plane - static_cast<std::int64_t>(y) * dims.x);

  const std::int64_t begin = blockIdx.y * tile;
  const std::int64_t end = begin + tile < count ? begin + tile : count;
  for (std::int64_t i = begin; i < end; ++i) {
    const LocatedSample<Real> s = samples[i];
    const Real q = e.q(static_cast<Real>(x - s.cell[0]) - s.offset[0],
                       static_cast<Real>(y - s.cell[1]) - s.offset[1],
                       static_cast<Real>(z - s.cell[2]) - s.offset[2]);
    if (q < Real(1) && s.weight > Real(0)) atomicAdd(volume + cell, s.weight * profile.value(q));
  }
}

}  // namespace

template <class Real>
void accumulate_all_cells(const LocatedSample<Real>* samples, std::int64_t count,
                          const Kernel& kernel, const Ellipsoid<Real>& e, GridDims dims,
                          Real* volume, const AllCellsPolicy& policy, cudaStream_t stream) {
  if (count == 0) return;
  const std::int64_t cells = static_cast<std::int64_t>(dims.x) * dims.y * dims.z;
  const dim3 grid(
      static_cast<unsigned>((cells + AllCellsPolicy::kBlock - 1) / AllCellsPolicy::kBlock),
      static_cast<unsigned>((count + policy.samples - 1) / policy.samples));
  with_profile(kernel, [&](const auto& profile) {
    all_cells_kernel<<<grid, static_cast<unsigned>(AllCellsPolicy::kBlock), 0, stream>>>(
        samples, count, policy.samples, e, profile, dims, volume);
  });
  gpu::check_launch("accumulate in all cells");
}

template void accumulate_all_cells<float>(const LocatedSample<float>*, std::int64_t, const Kernel&,
                                          const Ellipsoid<float>&, GridDims, float*,
                                          const AllCellsPolicy&, cudaStream_t);
template void accumulate_all_cells<double>(const LocatedSample<double>*, std::int64_t,
                                           const Kernel&, const Ellipsoid<double>&, GridDims,
                                           double*, const AllCellsPolicy&, cudaStream_t);

}  // namespace skde::kernels
