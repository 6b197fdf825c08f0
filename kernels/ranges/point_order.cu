#include "core/morton_code.hpp"
#include "gpu/check.hpp"
#include "kernels/ranges/point_ranges.hpp"

namespace skde::kernels {
namespace {

constexpr int kBlock = 256;

unsigned blocks_for(std::int64_t items) {
  return static_cast<unsigned>((items + kBlock - 1) / kBlock);
}

__global__ void cell_kernel(DevicePoints points, BallLattice lattice, std::uint32_t* keys,
                            std::uint32_t* indices) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (i >= points.count) return;
  double u[3];
  lattice.place(points.xyz + 3 * i, u);
  bool reaches = points.weights == nullptr || points.weights[i] > 0;
  std::int64_t key = 0;
  for (int axis = 2; axis >= 0; --axis) {
    const double at = (u[axis] - lattice.lower[axis]) / lattice.edge;
    reaches = reaches && at >= 0 && at < lattice.counts[axis];
    key = key * lattice.counts[axis] + (reaches ? static_cast<std::int32_t>(at) : 0);
  }
  keys[i] = static_cast<std::uint32_t>(reaches ? key : lattice.cells());
  indices[i] = static_cast<std::uint32_t>(i);
}

__global__ void curve_kernel(const double* points, std::int64_t count, BallLattice lattice,
                             double places_a_radius, std::uint32_t* keys, std::uint32_t* indices) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (i >= count) return;
  double u[3];
  lattice.place(points + 3 * i, u);
  std::uint32_t key = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double place = (u[axis] - lattice.lower[axis]) * places_a_radius;
    key |= static_cast<std::uint32_t>(
        spread_bits(static_cast<std::uint32_t>(fmin(fmax(place, 0.0), 1023.0))) << axis);
  }
  keys[i] = key;
  indices[i] = static_cast<std::uint32_t>(i);
}

__global__ void gather_kernel(DevicePoints points, double weight_scale,
                              const std::uint32_t* indices, PointInWorld* sorted) {
  const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (k >= points.count) return;
  const std::int64_t i = indices[k];
  sorted[k] = {points.xyz[3 * i], points.xyz[3 * i + 1], points.xyz[3 * i + 2],
               (points.weights ? points.weights[i] : 1.0) * weight_scale};
}

}  // namespace

void key_by_cell(const DevicePoints& samples, const BallLattice& lattice, std::uint32_t* keys,
                 std::uint32_t* indices, cudaStream_t stream) {
  cell_kernel<<<blocks_for(samples.count), kBlock, 0, stream>>>(samples, lattice, keys, indices);
  gpu::check_launch("key the samples by cell");
}

void key_by_curve(const double* points, std::int64_t count, const BallLattice& lattice,
                  std::uint32_t* keys, std::uint32_t* indices, cudaStream_t stream) {
  std::int32_t most = 1;
  for (const std::int32_t cells : lattice.counts) most = cells > most ? cells : most;
  const double places_a_radius = 1024 / (lattice.edge * most);
  curve_kernel<<<blocks_for(count), kBlock, 0, stream>>>(points, count, lattice, places_a_radius,
                                                         keys, indices);
  gpu::check_launch("key the points by a curve");
}

void gather_points(const DevicePoints& points, double weight_scale, const std::uint32_t* indices,
                   PointInWorld* sorted, cudaStream_t stream) {
  gather_kernel<<<blocks_for(points.count), kBlock, 0, stream>>>(points, weight_scale, indices,
                                                                 sorted);
  gpu::check_launch("gather the points");
}

}  // namespace skde::kernels
