#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_scan.cuh>

#include "gpu/check.hpp"
#include "kernels/cell_frame.cuh"
#include "kernels/span/coarse_sort.hpp"

namespace skde::kernels {
namespace {

constexpr int kBlock = 256;

unsigned blocks_for(std::int64_t items) {
  return static_cast<unsigned>((items + kBlock - 1) / kBlock);
}

__global__ void key_kernel(DevicePoints points, CellFrame frame, SpanPlan plan, std::uint32_t* keys,
                           std::uint32_t* indices) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (i >= points.count) return;
  const CoarseCells& coarse = plan.coarse;
  bool meets = points.weights == nullptr || points.weights[i] > 0;
  std::int32_t cell[3];
  for (int axis = 0; axis < 3; ++axis) {
    const double at = rint(cell_position(points, frame, i, axis)) - coarse.origin[axis];
    const double end =
        static_cast<double>(static_cast<std::int64_t>(coarse.dims[axis]) << coarse.shift[axis]);
    meets = meets && at >= 0 && at < end;
    cell[axis] =
        meets ? static_cast<std::int32_t>(static_cast<std::int64_t>(at) >> coarse.shift[axis]) : 0;
  }
  const std::int64_t key =
      (static_cast<std::int64_t>(cell[2]) * coarse.dims[1] + cell[1]) * coarse.dims[0] + cell[0];
  keys[i] = static_cast<std::uint32_t>(meets ? key : coarse.count());
  indices[i] = static_cast<std::uint32_t>(i);
}

__global__ void gather_fixed_kernel(DevicePoints points, CellFrame frame, double unit,
                                    double weight_scale, const std::uint32_t* indices,
                                    FixedSample* sorted) {
  const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (k >= points.count) return;
  const std::int64_t i = indices[k];
  std::int32_t fixed[3];
  for (int axis = 0; axis < 3; ++axis)
    fixed[axis] = static_cast<std::int32_t>(
        static_cast<std::uint32_t>(__double2ll_rn(cell_position(points, frame, i, axis) * unit)));
  const double weight = points.weights ? points.weights[i] * weight_scale : 1.0;
  sorted[k] = {fixed[0], fixed[1], fixed[2], static_cast<float>(weight)};
}

__global__ void gather_precise_kernel(DevicePoints points, CellFrame frame, double weight_scale,
                                      const std::uint32_t* indices, PreciseSample* sorted) {
  const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (k >= points.count) return;
  const std::int64_t i = indices[k];
  sorted[k] = {cell_position(points, frame, i, 0), cell_position(points, frame, i, 1),
               cell_position(points, frame, i, 2),
               points.weights ? points.weights[i] * weight_scale : 1.0};
}

struct FixedWeight {
  template <class Sample>
  __device__ std::uint64_t operator()(const Sample& s) const {
    return __double2ull_ru(s.weight * kWeightOne);
  }
};

template <class Sample>
void scan_weights(const Sample* sorted, std::int64_t count, std::uint64_t* sums, void* scratch,
                  std::size_t& scratch_bytes, cudaStream_t stream) {
  const auto weights = thrust::make_transform_iterator(sorted, FixedWeight{});
  gpu::check(cub::DeviceScan::InclusiveSum(scratch, scratch_bytes, weights, sums, count, stream),
             "sum the weights");
}

}  // namespace

void key_samples(const DevicePoints& points, const Grid& grid, const SpanPlan& plan,
                 std::uint32_t* keys, std::uint32_t* indices, cudaStream_t stream) {
  key_kernel<<<blocks_for(points.count), kBlock, 0, stream>>>(points, frame_of(grid), plan, keys,
                                                              indices);
  gpu::check_launch("key the samples");
}

void gather_sorted(const DevicePoints& points, const Grid& grid, const SpanPlan& plan,
                   const std::uint32_t* indices, FixedSample* sorted, cudaStream_t stream) {
  const double unit = static_cast<double>(std::int64_t{1} << plan.fraction_bits);
  gather_fixed_kernel<<<blocks_for(points.count), kBlock, 0, stream>>>(
      points, frame_of(grid), unit, 1 / plan.largest_weight, indices, sorted);
  gpu::check_launch("gather the samples");
}

void gather_sorted(const DevicePoints& points, const Grid& grid, const SpanPlan& plan,
                   const std::uint32_t* indices, PreciseSample* sorted, cudaStream_t stream) {
  gather_precise_kernel<<<blocks_for(points.count), kBlock, 0, stream>>>(
      points, frame_of(grid), 1 / plan.largest_weight, indices, sorted);
  gpu::check_launch("gather the samples");
}

void sum_weights(const FixedSample* sorted, std::int64_t count, std::uint64_t* sums, void* scratch,
                 std::size_t& scratch_bytes, cudaStream_t stream) {
  scan_weights(sorted, count, sums, scratch, scratch_bytes, stream);
}

void sum_weights(const PreciseSample* sorted, std::int64_t count, std::uint64_t* sums,
                 void* scratch, std::size_t& scratch_bytes, cudaStream_t stream) {
  scan_weights(sorted, count, sums, scratch, scratch_bytes, stream);
}

}  // namespace skde::kernels
