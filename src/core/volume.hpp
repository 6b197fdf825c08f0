#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "core/grid.hpp"

namespace skde {

/// Values of consecutive slices as they lie in memory, x fastest.
using ValueSpan = std::variant<std::span<const float>, std::span<const double>>;

/// A density on a grid, in host memory: x fastest, then y, then z.
class Volume {
 public:
  /// No values, on a grid without cells.
  Volume() = default;
  /// All values 0.
  Volume(const Grid& grid, Precision precision);
  /// Takes values that exist; their number must be grid.cells().
  Volume(const Grid& grid, std::vector<float> values);
  /// The same in double.
  Volume(const Grid& grid, std::vector<double> values);

  /// Where the values are.
  const Grid& grid() const { return grid_; }
  /// The type of the values.
  Precision precision() const {
    return std::holds_alternative<std::vector<float>>(values_) ? Precision::f32 : Precision::f64;
  }

  /// The values as they are stored; throws std::bad_variant_access for the other type.
  template <class Real>
  std::span<const Real> values() const {
    return std::get<std::vector<Real>>(values_);
  }
  /// The same, to be changed.
  template <class Real>
  std::span<Real> values() {
    return std::get<std::vector<Real>>(values_);
  }

  /// All values, of whichever type they are.
  ValueSpan value_span() const;

  /// The value of cell (i, j, k), which must be one of the grid.
  double at(std::int64_t i, std::int64_t j, std::int64_t k) const;
  /// The value of the cell that holds a point in world units. Error(usage) outside of the grid.
  double at(Vec3 world) const;
  /// The largest value.
  double maximum() const;
  /// Sum of all values in double.
  double sum() const { return sum_of(0, grid_.dims[2]); }
  /// The same of slices [z, z + slices).
  double sum_of(std::int64_t z, std::int64_t slices) const;
  /// Sum of all values times the cell volume: the mass of the density inside the box.
  double mass() const { return sum() * grid_.cell_volume(); }
  /// Multiplies all values.
  void scale(double factor);
  /// Adds the values of a volume of the same cells and type.
  void add(const Volume& other);
  /// Makes all values 0, on all threads.
  void clear();

 private:
  Grid grid_;
  std::variant<std::vector<float>, std::vector<double>> values_;
};

}  // namespace skde
