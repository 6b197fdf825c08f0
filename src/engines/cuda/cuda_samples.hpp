#pragma once

#include <cstdint>
#include <memory>

#include "engines/cuda/cuda_device.hpp"
#include "engines/engine.hpp"
#include "gpu/device_buffer.hpp"
#include "kernels/located_samples.hpp"

namespace skde {

/// Samples in device memory, as uploaded.
class CudaSamples final : public LoadedSamples {
 public:
  explicit CudaSamples(std::shared_ptr<CudaDevice> device) : device_(std::move(device)) {}

  /// Copies samples to the device on a stream of their own, and waits. Replaces earlier samples.
  void upload(const SamplesView& points);

  /// Makes room for samples with weights and shapes that device code writes; their values are not
  /// set.
  void reserve_shaped(std::int64_t count);
  double* xyz() { return xyz_.data(); }
  double* weights() { return weights_.data(); }
  double* shapes() { return forms_.data(); }

  std::size_t size() const override { return static_cast<std::size_t>(count_); }
  Moments moments() const override;
  std::int64_t count() const { return count_; }
  bool weighted() const { return weighted_; }
  /// True if the samples have bandwidth factors or shapes of their own.
  bool shaped() const { return form_ != Form::common; }
  double largest_weight() const { return largest_weight_; }
  /// The samples, in world units.
  kernels::DevicePoints view() const;

 private:
  enum class Form { common, factors, shapes };

  std::shared_ptr<CudaDevice> device_;
  gpu::DeviceBuffer<double> xyz_, weights_, forms_;  // forms_: factors or shapes, as form_ says
  std::int64_t count_ = 0;
  Form form_ = Form::common;
  bool weighted_ = false;
  double largest_weight_ = 1;
};

}  // namespace skde
