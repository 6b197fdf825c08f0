#include "core/kernel/cell_nodes.hpp"
#include "gpu/check.hpp"
#include "kernels/cell_frame.cuh"
#include "kernels/tile/warp_tile_order.hpp"

namespace skde::kernels {
namespace {

constexpr int kBlock = 256;

unsigned blocks_for(std::int64_t items) {
  return static_cast<unsigned>((items + kBlock - 1) / kBlock);
}

__device__ Symmetric3 shape_at(const DevicePoints& points, std::int64_t i) {
  const double* const m = points.shapes + 6 * i;
  return {m[0], m[1], m[2], m[3], m[4], m[5]};
}

__device__ Vec3 reach_of(const DevicePoints& points, const SampleShapes& shapes, std::int64_t i,
                         double edge) {
  const Ellipsoid<double>& e = shapes.common().ellipsoid;
  const Vec3 reach = points.shapes ? shapes.reach_of_matrix(shape_at(points, i))
                     : points.bandwidth_factors
                         ? shapes.reach_of_factor(points.bandwidth_factors[i])
                         : Vec3{e.rx, e.ry, e.sz};
  return {reach.x + edge, reach.y + edge, reach.z + edge};
}

__device__ SampleShape shape_of(const DevicePoints& points, const SampleShapes& shapes,
                                std::int64_t i) {
  if (points.shapes) return shapes.of_matrix(shape_at(points, i));
  return points.bandwidth_factors ? shapes.of_factor(points.bandwidth_factors[i]) : shapes.common();
}

/// Returns whether a kernel is for sums of the other precision.
__device__ bool is_apart(const DevicePoints& points, const SampleShapes& shapes,
                         const WarpTilePlan& plan, std::int64_t i) {
  if (!plan.apart) return false;
  const bool slim = points.shapes ? shapes.is_slim_matrix(shape_at(points, i), kSlim)
                                  : shapes.is_slim_factor(points.bandwidth_factors[i], kSlim);
  return slim != plan.wide;
}

/// Returns the class of a kernel with this reach; the last one also takes longer reaches.
__device__ int class_of(const WarpTilePlan& plan, const Vec3& reach) {
  const double longest = fmax(fmax(reach.x, reach.y), reach.z);
  int place = 0;
  for (double most = kLowestReach; place + 1 < plan.classes && longest > most; most *= kReachRatio)
    ++place;
  return place;
}

/// Returns the key of a sample, and its class in `place`; plan.keys() if its kernel misses the
/// grid. Samples beyond the margin count to its last cells.
__device__ std::int64_t key_of(const DevicePoints& points, const CellFrame& frame,
                               const WarpTilePlan& plan, const Vec3& reach, std::int64_t i,
                               int& place) {
  if (points.weights && !(points.weights[i] > 0)) return plan.keys();
  place = class_of(plan, reach);
  const ReachClass& of = plan.reach_class[place];
  std::int64_t key = 0;
  for (int axis = 2; axis >= 0; --axis) {
    const double at = cell_position(points, frame, i, axis);
    if (!(at + reach[axis] > 0 && at - reach[axis] < plan.dims[axis] - 1)) return plan.keys();
    const double low = -of.margin[axis], high = static_cast<double>(plan.dims[axis]) - 1 - low;
    const auto cell = static_cast<std::int64_t>(fmin(fmax(rint(at), low), high));
    key = key * of.coarse.dims[axis] + ((cell - of.coarse.origin[axis]) >> of.coarse.shift[axis]);
  }
  return of.first + key;
}

__global__ void key_kernel(DevicePoints points, CellFrame frame, SampleShapes shapes,
                           WarpTilePlan plan, std::uint32_t* keys, std::uint32_t* indices,
                           std::int32_t* reach_of_class, std::uint32_t* kept) {
  __shared__ std::int32_t farthest[3 * kMostReachClasses];
  for (int k = threadIdx.x; k < 3 * plan.classes; k += kBlock) farthest[k] = 0;
  __syncthreads();
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  bool keep = false;
  if (i < points.count) {
    const Vec3 reach = reach_of(points, shapes, i, plan.edge);
    int place = 0;
    const std::int64_t key = is_apart(points, shapes, plan, i)
                                 ? plan.keys()
                                 : key_of(points, frame, plan, reach, i, place);
    keys[i] = static_cast<std::uint32_t>(key);
    indices[i] = static_cast<std::uint32_t>(i);
    keep = key < plan.keys();
    if (keep)
      for (int axis = 0; axis < 3; ++axis) {
        const auto cells = static_cast<std::int32_t>(fmin(ceil(reach[axis]), 1e9)) + 1;
        if (farthest[3 * place + axis] < cells) atomicMax(&farthest[3 * place + axis], cells);
      }
  }
  const int all = __syncthreads_count(keep);
  if (threadIdx.x == 0 && all > 0) atomicAdd(kept, static_cast<std::uint32_t>(all));
  for (int k = threadIdx.x; k < 3 * plan.classes; k += kBlock)
    if (farthest[k] > 0 && reach_of_class[k] < farthest[k])
      atomicMax(reach_of_class + k, farthest[k]);
}

__device__ std::int32_t fixed_position(const DevicePoints& points, const CellFrame& frame,
                                       const WarpTilePlan& plan, std::int64_t i, int axis) {
  const double unit = static_cast<double>(1 << plan.fraction[axis]);
  return static_cast<std::int32_t>(
      static_cast<std::uint32_t>(__double2ll_rn(cell_position(points, frame, i, axis) * unit)));
}

/// Returns the cell that holds a place. A cell owns its lower faces; the upper faces of the box
/// belong to the last cells.
__device__ double own_cell(double at, std::int32_t cells) {
  const double cell = floor(at + 0.5);
  return at + 0.5 == cells ? cells - 1 : cell;
}

template <class Real>
__device__ void write_factors(const Ellipsoid<double>& e, EllipsoidFactors<Real>& to) {
  to = {Real(e.inv_sx), Real(e.inv_sy), Real(e.inv_sz), Real(e.bxy), Real(e.bxz), Real(e.bzy)};
}

__global__ void gather_kernel(DevicePoints points, CellFrame frame, SampleShapes shapes,
                              WarpTilePlan plan, double scale, const std::uint32_t* indices,
                              WarpTileSamples sorted) {
  const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (k >= points.count) return;
  const std::int64_t i = indices[k];
  const SampleShape shape = shape_of(points, shapes, i);
  const double peak = plan.edge > 0 ? 1 / (frame.spacing[0] * frame.spacing[1] * frame.spacing[2])
                                    : shape.amplitude;
  const double height = peak * scale * (points.weights ? points.weights[i] : 1.0);
  if (sorted.fixed) {
    sorted.fixed[k] = {fixed_position(points, frame, plan, i, 0),
                       fixed_position(points, frame, plan, i, 1),
                       fixed_position(points, frame, plan, i, 2), static_cast<float>(height)};
    return;
  }
  double at[3];
  for (int axis = 0; axis < 3; ++axis) {
    at[axis] = cell_position(points, frame, i, axis);
    if (plan.edge > 0 && is_point(shape.ellipsoid)) at[axis] = own_cell(at[axis], plan.dims[axis]);
  }
  sorted.precise[k] = {at[0], at[1], at[2], height};
  if (sorted.factors) write_factors(shape.ellipsoid, sorted.factors[k]);
  if (sorted.wide_factors) write_factors(shape.ellipsoid, sorted.wide_factors[k]);
}

}  // namespace

void key_samples(const DevicePoints& points, const Grid& grid, const SampleShapes& shapes,
                 const WarpTilePlan& plan, std::uint32_t* keys, std::uint32_t* indices,
                 std::int32_t* reach, std::uint32_t* kept, cudaStream_t stream) {
  gpu::check(cudaMemsetAsync(reach, 0, 3 * sizeof(std::int32_t) * plan.classes, stream),
             "clear the reach of classes");
  gpu::check(cudaMemsetAsync(kept, 0, sizeof(std::uint32_t), stream), "clear the count of samples");
  key_kernel<<<blocks_for(points.count), kBlock, 0, stream>>>(points, frame_of(grid), shapes, plan,
                                                              keys, indices, reach, kept);
  gpu::check_launch("key the samples");
}

void gather_sorted(const DevicePoints& points, const Grid& grid, const SampleShapes& shapes,
                   const WarpTilePlan& plan, double scale, const std::uint32_t* indices,
                   const WarpTileSamples& sorted, cudaStream_t stream) {
  gather_kernel<<<blocks_for(points.count), kBlock, 0, stream>>>(points, frame_of(grid), shapes,
                                                                 plan, scale, indices, sorted);
  gpu::check_launch("gather the samples");
}

}  // namespace skde::kernels
