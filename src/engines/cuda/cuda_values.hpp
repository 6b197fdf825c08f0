#pragma once

#include <memory>

#include "engines/cuda/cuda_device.hpp"
#include "engines/value_buffer.hpp"
#include "gpu/device_buffer.hpp"
#include "kernels/value_totals.hpp"

namespace skde {

/// The values of the CUDA engines on a grid: they stay in device memory until take_volume().
template <class Real>
class CudaValues final : public ValueBuffer {
 public:
  CudaValues(const Problem& problem, std::shared_ptr<CudaDevice> device);

  const Target& target() const override { return target_; }
  Precision precision() const override { return precision_of<Real>(); }
  ValueTotals totals() override;
  void scale(double factor) override;
  Volume take_volume() override;
  void put_slices(Volume& whole, std::int64_t first) override;
  /// Throws std::bad_variant_access: the targets are no points.
  std::vector<double> take_point_values() override;

  std::optional<DeviceValues> on_device() override;

  /// Makes all values 0; takes effect with the next use, so that an engine that writes every cell
  /// need not wait for it.
  void clear() { cleared_ = true; }
  bool is_cleared() const { return cleared_; }
  /// The values, for a caller that adds to them.
  Real* accumulated_values();
  /// The values, for a caller that writes all of them; what they were is lost.
  Real* overwritten_values();

 private:
  std::int64_t cells() const { return grid().cells(); }

  Target target_;
  std::shared_ptr<CudaDevice> device_;
  gpu::DeviceBuffer<Real> values_;
  gpu::DeviceBuffer<kernels::BlockTotals> totals_;
  bool cleared_ = true;
};

}  // namespace skde
