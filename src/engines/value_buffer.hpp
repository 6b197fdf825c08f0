#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/problem.hpp"
#include "core/space/volume.hpp"

namespace skde {

/// Totals over all values of a density.
struct ValueTotals {
  double sum = 0;
  double maximum = 0;
};

/// Values in the memory of a CUDA device. They are complete, so there is no stream to wait for.
struct DeviceValues {
  const void* data = nullptr;  ///< float or double, x fastest
  int device = 0;
  double least = 0, greatest = 0;  ///< of the positive values; 0 if there are none
};

/// The values of a density, where its engine left them. Nothing is copied before it is requested.
class ValueBuffer {
 public:
  virtual ~ValueBuffer() = default;
  virtual const Target& target() const = 0;
  virtual Precision precision() const = 0;
  /// Computes the totals where the values are.
  virtual ValueTotals totals() = 0;
  /// Multiplies all values.
  virtual void scale(double factor) = 0;
  /// Returns the values of a grid on the host. A buffer in host memory hands its memory over and is
  /// empty afterwards. Throws std::bad_variant_access if the targets are points.
  virtual Volume take_volume() = 0;
  /// Copies the values of a grid into `whole`, from slice `first` on. `whole` is in host memory,
  /// and its slices have as many cells of the same type.
  virtual void put_slices(Volume& whole, std::int64_t first) = 0;
  /// Returns the values of points, in their order.
  virtual std::vector<double> take_point_values() = 0;

  /// The values in place, valid as long as the buffer; null unless they are of a grid in host
  /// memory.
  virtual const Volume* on_host() { return nullptr; }
  /// The values in a device's memory, valid as long as the buffer; nothing if they are elsewhere.
  virtual std::optional<DeviceValues> on_device() { return std::nullopt; }

  const Grid& grid() const { return std::get<Grid>(target()); }
  /// True if the buffer can take such values at the target: at as many cells along each axis,
  /// wherever the grid lies, or at the same points.
  bool fits(const Target& wanted, Precision wanted_precision) const {
    if (precision() != wanted_precision) return false;
    const Grid* const own = std::get_if<Grid>(&target());
    const Grid* const other = std::get_if<Grid>(&wanted);
    return own && other ? own->dims == other->dims : target() == wanted;
  }
};

}  // namespace skde
