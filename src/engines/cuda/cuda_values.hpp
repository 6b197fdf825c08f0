#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "engines/cuda/cuda_device.hpp"
#include "engines/value_buffer.hpp"
#include "gpu/device_buffer.hpp"
#include "kernels/value_totals.hpp"

namespace skde {

/// The values of CUDA engines on a grid. They stay in device memory until take_volume().
template <class Real>
class CudaValues final : public ValueBuffer {
 public:
  CudaValues(const Grid& grid, std::shared_ptr<CudaDevice> device);

  const Target& target() const override { return target_; }
  Precision precision() const override { return precision_of<Real>(); }
  ValueTotals totals() override;
  void scale(double factor) override;
  Volume take_volume() override;
  void put_slices(Volume& whole, std::int64_t first) override;
  /// Throws std::bad_variant_access: the target is a grid.
  std::vector<double> take_point_values() override;

  std::optional<DeviceValues> on_device() override;

  /// Takes a grid that fits(), and sets all values to 0. That takes effect at the
  /// next use, so that an engine that writes every cell need not wait for it.
  void begin(const Grid& grid) {
    target_ = grid;
    cleared_ = true;
    known_.reset();
  }
  bool is_cleared() const { return cleared_; }
  /// The values, for a caller that adds to them.
  Real* accumulated_values();
  /// The values, for a caller that writes all of them. Earlier values are lost.
  Real* overwritten_values();

 private:
  std::int64_t cells() const { return grid().cells(); }
  /// Returns the totals; sums only values that have changed.
  kernels::Totals all_totals();
  /// The values, for a caller that reads them.
  const Real* ready_values();

  Target target_;
  std::shared_ptr<CudaDevice> device_;
  gpu::DeviceBuffer<Real> values_;
  gpu::DeviceBuffer<kernels::Totals> totals_;
  gpu::DeviceBuffer<std::uint32_t> done_;  ///< shares of the totals that are summed
  bool cleared_ = true;
  std::optional<kernels::Totals> known_;  ///< of the present values, once they were summed
};

}  // namespace skde
