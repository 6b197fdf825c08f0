#pragma once

#include "engines/engine.hpp"
#include "gpu/device_buffer.hpp"
#include "gpu/stream.hpp"
#include "kernels/value_totals.hpp"

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
  /// Takes effect with the next use, so that an engine that writes every cell need not wait for it.
  void clear() override { cleared_ = true; }
  ValueTotals totals() override;
  void scale(double factor) override;
  Volume take_volume() override;

  bool is_cleared() const { return cleared_; }
  /// The values, for a caller that adds to them.
  Real* accumulated_values();
  /// The values, for a caller that writes all of them; what they were is lost.
  Real* overwritten_values();

 private:
  Grid grid_;
  const gpu::Stream& stream_;
  gpu::DeviceBuffer<Real> values_;
  gpu::DeviceBuffer<kernels::BlockTotals> totals_;
  bool cleared_ = true;
};

}  // namespace skde
