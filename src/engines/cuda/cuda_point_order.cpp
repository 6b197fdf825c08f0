#include "engines/cuda/cuda_point_order.hpp"

#include <algorithm>
#include <vector>

#include "kernels/device_moments.hpp"

namespace skde {
namespace {

using kernels::RangePolicy;

/// Returns the number of shares into which each block's work is split if there are few blocks. It
/// does not depend on the device, so that the bits are the same everywhere.
std::int32_t shares_of(std::int64_t blocks) {
  constexpr std::int64_t kWanted = 2048, kMost = 64;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(kWanted / blocks, 1, kMost));
}

}  // namespace

kernels::BallLattice CudaPointOrder::lattice_of(const Ellipsoid<double>& ball, double samples,
                                                const Box& targets) {
  constexpr double kCellsASample = 4;
  return kernels::make_ball_lattice(ball, targets,
                                    std::clamp(kCellsASample * samples, 4096.0, kMostCells));
}

void CudaPointOrder::set_targets(std::span<const double> xyz) {
  device_->upload(xyz, memory_.points);
  const std::size_t count = xyz.size() / 3;
  target_order_.reserve(count);
  memory_.targets.reserve(count);
  count_ = static_cast<std::int64_t>(count);
}

kernels::DevicePoints CudaPointOrder::target_view() const {
  kernels::DevicePoints view;
  view.xyz = memory_.points.data();
  view.count = count_;
  return view;
}

Box CudaPointOrder::box_of_targets() const {
  gpu::DeviceBuffer<kernels::ChunkSums> sums(kernels::kMomentChunks);
  kernels::sum_chunks(target_view(), sums.data(), device_->stream().get());
  std::vector<kernels::ChunkSums> chunks(kernels::kMomentChunks);
  sums.download(chunks, device_->stream());
  Moments moments;
  for (const kernels::ChunkSums& chunk : chunks) moments.merge(Moments(kernels::to_sums(chunk)));
  return moments.bounds();
}

void CudaPointOrder::sort_targets(const Ellipsoid<double>& ball, double samples) {
  lattice_ = lattice_of(ball, samples, box_of_targets());
  const cudaStream_t on = device_->stream().get();
  kernels::key_by_curve(memory_.points.data(), count_, lattice_, target_order_.keys(),
                        target_order_.indices(), on);
  target_order_.sort(count_, kernels::kMortonBits, on);
  kernels::gather_points(target_view(), 1, target_indices(), memory_.targets.data(), on);
}

kernels::RangeSums CudaPointOrder::sort_samples(const CudaSamples& samples, int sums) {
  const cudaStream_t on = device_->stream().get();
  const auto count = static_cast<std::size_t>(samples.count());
  sample_order_.reserve(count);
  memory_.samples.reserve(count);
  const std::int64_t cells = lattice_.cells();
  kernels::key_by_cell(samples.view(), lattice_, sample_order_.keys(), sample_order_.indices(), on);
  sample_order_.sort_into_cells(samples.count(), cells, on);
  kernels::gather_points(samples.view(), 1 / samples.largest_weight(),
                         sample_order_.sorted_indices(), memory_.samples.data(), on);
  const std::int32_t shares = shares_of(RangePolicy::blocks(count_));
  memory_.partial.reserve(static_cast<std::size_t>(sums * shares * count_));
  return {lattice_, memory_.targets.data(), count_, memory_.samples.data(), sample_order_.starts(),
          shares,   memory_.partial.data()};
}

}  // namespace skde
