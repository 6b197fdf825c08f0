#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "core/space/grid.hpp"

namespace skde {

/// Values of consecutive slices in memory order, x fastest.
using ValueSpan = std::variant<std::span<const float>, std::span<const double>>;

/// A density on a grid, in host memory: x fastest, then y, then z.
class Volume {
 public:
  /// A volume without values, on a grid without cells.
  Volume() = default;
  /// A volume whose values are all 0.
  Volume(const Grid& grid, Precision precision);
  /// Takes over existing values; their number must be grid.cells().
  Volume(const Grid& grid, std::vector<float> values);
  /// Takes over existing values in double; their number must be grid.cells().
  Volume(const Grid& grid, std::vector<double> values);

  /// The grid of the values.
  const Grid& grid() const { return grid_; }
  /// The type of the values.
  Precision precision() const {
    return std::holds_alternative<std::vector<float>>(values_) ? Precision::f32 : Precision::f64;
  }

  /// The stored values. Throws std::bad_variant_access if `Real` is not their type.
  template <class Real>
  std::span<const Real> values() const {
    return std::get<std::vector<Real>>(values_);
  }
  /// The stored values, writable. Throws like the const overload.
  template <class Real>
  std::span<Real> values() {
    return std::get<std::vector<Real>>(values_);
  }

  /// All values, in either type.
  ValueSpan value_span() const;

  /// The value of cell (i, j, k), which must be inside the grid.
  double at(std::int64_t i, std::int64_t j, std::int64_t k) const;
  /// The value of the cell that holds a point in world units. Throws Error(usage) outside the grid.
  double at(Vec3 world) const;
  /// The largest value.
  double maximum() const;
  /// Sum of all values in double.
  double sum() const { return sum_of(0, grid_.dims[2]); }
  /// Sum of the values of slices [z, z + slices) in double.
  double sum_of(std::int64_t z, std::int64_t slices) const;
  /// Mass of the density inside the box: the sum of all values times the cell volume.
  double mass() const { return sum() * grid_.cell_volume(); }
  /// Multiplies all values.
  void scale(double factor);
  /// Adds the values of a volume with the same cells and type.
  void add(const Volume& other);
  /// Sets all values to 0, on at most so many threads.
  void clear(int threads);
  /// Moves the values to a grid with as many cells along each axis.
  void move_to(const Grid& grid);

 private:
  Grid grid_;
  std::variant<std::vector<float>, std::vector<double>> values_;
};

}  // namespace skde
