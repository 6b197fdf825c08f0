#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/space/volume.hpp"

namespace skde {

/// The maxima of a volume along one axis, as an image: columns fastest, row 0 at the low end of its
/// axis. The values are double, so that densities outside the range of float (clouds of tiny or
/// huge extent) are preserved.
struct Projection {
  int columns_axis = 0, rows_axis = 1;  ///< 0, 1, 2: x, y, z
  std::int64_t width = 0, height = 0;   ///< cells along columns_axis and rows_axis
  std::vector<double> values;

  double at(std::int64_t column, std::int64_t row) const {
    return values[static_cast<std::size_t>(row * width + column)];
  }
};

/// The three orthogonal maximum projections, oriented so that xz above xy shares its x and zy to
/// the right of xy shares its y.
struct Projections {
  Projection xy;  ///< along z: columns x, rows y
  Projection xz;  ///< along y: columns x, rows z
  Projection zy;  ///< along x: columns z, rows y
};

/// Which value of a line a projection shows: the greatest one, or the one furthest from 0.
enum class Extreme { greatest, furthest };

/// Collects maxima while the slices of a volume pass by, so that the volume itself need not exist.
class MaximumProjector {
 public:
  explicit MaximumProjector(const std::array<std::int64_t, 3>& dims,
                            Extreme shown = Extreme::greatest);

  /// Adds slices from `z` on, in parallel. Each slice must come once. NaN values are skipped; the
  /// maximum of a line without numbers is 0.
  void add(std::int64_t z, const Volume& slices);
  /// Returns the projections of all slices and leaves none here.
  Projections take_projections();
  /// Upper bound on the bytes that a projector and its result hold.
  static std::int64_t held_bytes(const std::array<std::int64_t, 3>& dims, Precision precision);

 private:
  template <class Real, Extreme Shown>
  void add_values(std::int64_t z, const Volume& slices);

  std::array<std::int64_t, 3> dims_;
  Extreme shown_;
  std::vector<double> xy_, xz_, zy_;
};

}  // namespace skde
