#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/problem.hpp"
#include "core/volume.hpp"

namespace skde {

/// What all values of a density come to.
struct ValueTotals {
  double sum = 0;
  double maximum = 0;
};

/// Values in the memory of a CUDA device; complete, so that there is no stream to wait for.
struct DeviceValues {
  const void* data = nullptr;  ///< float or double, x fastest
  int device = 0;
};

/// The values of a density where its engine left them; nothing is copied until someone asks for it.
class ValueBuffer {
 public:
  virtual ~ValueBuffer() = default;
  virtual const Target& target() const = 0;
  virtual Precision precision() const = 0;
  /// Computed where the values are.
  virtual ValueTotals totals() = 0;
  /// Multiplies all values.
  virtual void scale(double factor) = 0;
  /// The values of a grid on the host; a buffer that lives there hands its memory over and is empty
  /// after. std::bad_variant_access where the targets are points.
  virtual Volume take_volume() = 0;
  /// Copies the values of a grid to the slices from `first` on of a volume in host memory, whose
  /// slices have as many cells of the same type.
  virtual void put_slices(Volume& whole, std::int64_t first) = 0;
  /// The values of points, in their order.
  virtual std::vector<double> take_point_values() = 0;

  /// The values where they lie, valid while the buffer is: of a grid in host memory, or null.
  virtual const Volume* on_host() { return nullptr; }
  /// The same in a device's memory, or nothing.
  virtual std::optional<DeviceValues> on_device() { return std::nullopt; }

  const Grid& grid() const { return std::get<Grid>(target()); }
  /// True where the buffer can take the values of the problem.
  bool fits(const Problem& problem) const {
    return target() == problem.value_target() && precision() == problem.precision;
  }
};

}  // namespace skde
