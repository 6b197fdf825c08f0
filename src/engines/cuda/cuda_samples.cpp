#include "engines/cuda/cuda_samples.hpp"

#include <algorithm>
#include <future>
#include <span>
#include <vector>

#include "kernels/device_moments.hpp"

namespace skde {
namespace {

/// Returns the largest weight; 1 if the samples are unweighted.
double largest_of(std::span<const double> weights) {
  return weights.empty() ? 1 : *std::ranges::max_element(weights);
}

}  // namespace

void CudaSamples::upload(const SamplesView& points) {
  device_->start();
  count_ = static_cast<std::int64_t>(points.size());
  weighted_ = points.weighted();
  // Found while the coordinates are copied, which takes longer.
  std::future<double> largest = std::async(weighted_ ? std::launch::async : std::launch::deferred,
                                           largest_of, points.weights);
  device_->upload(points.xyz, xyz_);
  device_->upload(points.weights, weights_);
  form_ = !points.bandwidth_factors.empty() ? Form::factors
          : !points.shapes.empty()          ? Form::shapes
                                            : Form::common;
  largest_weight_ = largest.get();
  if (shaped())
    device_->upload(form_ == Form::factors ? points.bandwidth_factors : points.shapes, forms_);
}

void CudaSamples::reserve_shaped(std::int64_t count) {
  device_->start();
  count_ = count;
  weighted_ = true;
  form_ = Form::shapes;
  xyz_.reserve(3 * size());
  weights_.reserve(size());
  forms_.reserve(6 * size());
}

kernels::DevicePoints CudaSamples::view() const {
  kernels::DevicePoints points;
  points.xyz = xyz_.data();
  points.count = count_;
  if (weighted_) points.weights = weights_.data();
  if (form_ == Form::factors) points.bandwidth_factors = forms_.data();
  if (form_ == Form::shapes) points.shapes = forms_.data();
  return points;
}

Moments CudaSamples::moments() const {
  device_->start();
  const gpu::Stream& stream = device_->stream();
  gpu::DeviceBuffer<kernels::ChunkSums> sums(kernels::kMomentChunks);
  kernels::sum_chunks(view(), sums.data(), stream.get());
  std::vector<kernels::ChunkSums> chunks(kernels::kMomentChunks);
  sums.download(chunks, stream);
  Moments result;
  for (const kernels::ChunkSums& chunk : chunks) result.merge(Moments(kernels::to_sums(chunk)));
  return result;
}

}  // namespace skde
