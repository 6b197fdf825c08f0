#pragma once

#include "engines/engine.hpp"
#include "gpu/device_buffer.hpp"
#include "gpu/stream.hpp"

namespace skde {

/// The DensityBuffer of the CUDA engines: it stays in device memory until take_volume().
template <class Real>
class CudaBuffer final : public DensityBuffer {
 public:
  /// `stream` must outlive the buffer.
  CudaBuffer(const Grid& grid, const gpu::Stream& stream);

  const Grid& grid() const override { return grid_; }
  Precision precision() const override {
    return sizeof(Real) == sizeof(float) ? Precision::f32 : Precision::f64;
  }
  void clear() override { values_.clear(stream_); }
  Volume take_volume() override;

  Real* device_values() { return values_.data(); }

 private:
  Grid grid_;
  const gpu::Stream& stream_;
  gpu::DeviceBuffer<Real> values_;
};

}  // namespace skde
