#include "engines/cuda/cuda_samples.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/device_moments.hpp"

namespace skde {

void CudaSamples::reserve(Slot& slot, const PointsView& points) {
  slot.count = static_cast<std::int64_t>(points.size());
  slot.weighted = points.weighted();
  slot.largest_weight = slot.weighted && slot.count > 0
                            ? *std::max_element(points.weights.begin(), points.weights.end())
                            : 1;
  slot.xyz.reserve(points.xyz.size());
  slot.weights.reserve(points.weights.size());
}

void CudaSamples::load(const PointsView& points, const gpu::Stream& stream) {
  const bool is_there = !points.xyz.empty() && points.xyz.data() == prefetched_.xyz.data() &&
                        points.xyz.size() == prefetched_.xyz.size();
  prefetched_ = {};
  if (is_there) return std::swap(loaded_, next_);
  reserve(loaded_, points);
  loaded_.xyz.upload(points.xyz, stream);
  loaded_.weights.upload(points.weights, stream);
  stream.wait();
}

void CudaSamples::prefetch(const PointsView& points) {
  if (!upload_) upload_ = std::make_unique<gpu::PinnedUpload>();
  reserve(next_, points);
  upload_->copy(points.xyz, next_.xyz);
  upload_->copy(points.weights, next_.weights);
  prefetched_ = points;
}

kernels::DevicePoints CudaSamples::view() const {
  return {loaded_.xyz.data(), loaded_.weighted ? loaded_.weights.data() : nullptr, loaded_.count};
}

Moments CudaSamples::moments(const gpu::Stream& stream) const {
  gpu::DeviceBuffer<kernels::ChunkSums> sums(kernels::kMomentChunks);
  kernels::sum_chunks(view(), sums.data(), stream.get());
  std::vector<kernels::ChunkSums> chunks(kernels::kMomentChunks);
  sums.download(chunks, stream);
  Moments result;
  for (const kernels::ChunkSums& chunk : chunks) result.merge(Moments(kernels::to_sums(chunk)));
  return result;
}

template <class Real>
void CudaSamples::locate(const DensityProblem& problem, const Ellipsoid<double>& ellipsoid,
                         gpu::DeviceBuffer<kernels::LocatedSample<Real>>& located,
                         const gpu::Stream& stream) const {
  located.reserve(static_cast<std::size_t>(count()));
  kernels::locate_samples<Real>(view(), problem.grid, ellipsoid,
                                problem.kernel.amplitude() / problem.total_weight, located.data(),
                                stream.get());
}

template void CudaSamples::locate<float>(const DensityProblem&, const Ellipsoid<double>&,
                                         gpu::DeviceBuffer<kernels::LocatedSample<float>>&,
                                         const gpu::Stream&) const;
template void CudaSamples::locate<double>(const DensityProblem&, const Ellipsoid<double>&,
                                          gpu::DeviceBuffer<kernels::LocatedSample<double>>&,
                                          const gpu::Stream&) const;

}  // namespace skde
