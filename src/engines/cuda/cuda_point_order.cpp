#include "engines/cuda/cuda_point_order.hpp"

#include <algorithm>
#include <vector>

#include "kernels/device_moments.hpp"
#include "kernels/span/coarse_sort.hpp"

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

int sort_by_key(gpu::DeviceBuffer<std::uint32_t> (&keys)[2],
                gpu::DeviceBuffer<std::uint32_t> (&indices)[2], std::int64_t count, int bits,
                gpu::DeviceBuffer<unsigned char>& scratch, cudaStream_t on) {
  std::uint32_t* key_sides[2] = {keys[0].data(), keys[1].data()};
  std::uint32_t* index_sides[2] = {indices[0].data(), indices[1].data()};
  std::size_t bytes = 0;
  kernels::sort_keys(key_sides, index_sides, count, bits, nullptr, bytes, on);
  scratch.reserve(bytes);
  bytes = scratch.size();
  return kernels::sort_keys(key_sides, index_sides, count, bits, scratch.data(), bytes, on);
}

kernels::BallLattice CudaPointOrder::lattice_of(const Ellipsoid<double>& ball, double samples,
                                                const Box& targets) {
  constexpr double kCellsASample = 4;
  return kernels::make_ball_lattice(ball, targets,
                                    std::clamp(kCellsASample * samples, 4096.0, kMostCells));
}

void CudaPointOrder::set_targets(std::span<const double> xyz) {
  device_->upload(xyz, memory_.points);
  const std::size_t count = xyz.size() / 3;
  for (int side = 0; side < 2; ++side) {
    memory_.target_keys[side].reserve(count);
    memory_.target_indices[side].reserve(count);
  }
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
  kernels::key_by_curve(memory_.points.data(), count_, lattice_, memory_.target_keys[0].data(),
                        memory_.target_indices[0].data(), on);
  side_ = sort_by_key(memory_.target_keys, memory_.target_indices, count_, kernels::kMortonBits,
                      memory_.scratch, on);
  kernels::gather_points(target_view(), 1, target_indices(), memory_.targets.data(), on);
}

kernels::RangeSums CudaPointOrder::sort_samples(const CudaSamples& samples, int sums) {
  const cudaStream_t on = device_->stream().get();
  const auto count = static_cast<std::size_t>(samples.count());
  for (int side = 0; side < 2; ++side) {
    memory_.keys[side].reserve(count);
    memory_.indices[side].reserve(count);
  }
  memory_.samples.reserve(count);
  const std::int64_t cells = lattice_.cells();
  memory_.starts.reserve(static_cast<std::size_t>(cells) + 1);
  kernels::key_by_cell(samples.view(), lattice_, memory_.keys[0].data(), memory_.indices[0].data(),
                       on);
  const int side = sort_by_key(memory_.keys, memory_.indices, samples.count(),
                               kernels::key_bits(cells), memory_.scratch, on);
  kernels::gather_points(samples.view(), 1 / samples.largest_weight(), memory_.indices[side].data(),
                         memory_.samples.data(), on);
  kernels::find_starts(memory_.keys[side].data(), samples.count(), cells, memory_.starts.data(),
                       on);
  const std::int32_t shares = shares_of(RangePolicy::blocks(count_));
  memory_.partial.reserve(static_cast<std::size_t>(sums * shares * count_));
  return {lattice_, memory_.targets.data(), count_, memory_.samples.data(), memory_.starts.data(),
          shares,   memory_.partial.data()};
}

}  // namespace skde
