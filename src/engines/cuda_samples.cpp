#include "engines/cuda_samples.hpp"

#include <algorithm>
#include <vector>

#include "kernels/device_moments.hpp"

namespace skde {

void CudaSamples::load(const PointsView& points, const gpu::Stream& stream) {
  count_ = static_cast<std::int64_t>(points.size());
  weighted_ = points.weighted();
  largest_weight_ =
      weighted_ && count_ > 0 ? *std::max_element(points.weights.begin(), points.weights.end()) : 1;
  xyz_.reserve(points.xyz.size());
  xyz_.upload(points.xyz, stream);
  if (weighted_) {
    weights_.reserve(points.weights.size());
    weights_.upload(points.weights, stream);
  }
  stream.wait();
}

kernels::DevicePoints CudaSamples::view() const {
  return {xyz_.data(), weighted_ ? weights_.data() : nullptr, count_};
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
  located.reserve(static_cast<std::size_t>(count_));
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
