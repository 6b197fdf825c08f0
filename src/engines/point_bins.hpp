#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/kernel/ellipsoid.hpp"
#include "core/problem.hpp"
#include "core/space/grid.hpp"

namespace skde {

/// Points in cells of a frame, sorted by boxes of cells with x fastest, so that the points near an
/// ellipsoid are a few contiguous ranges.
class PointBins {
 public:
  PointBins() = default;
  PointBins(const TargetPoints& points, const Grid& frame);

  /// Coordinates of the sorted points, in cells. Whole vectors may be read past the last one.
  const std::vector<double>& along(std::size_t axis) const { return places_[axis]; }
  /// The first sorted point of every bin, x fastest, and the number of points.
  const std::vector<std::size_t>& starts() const { return starts_; }
  const std::array<std::int32_t, 3>& bins() const { return bins_; }
  const std::array<double, 3>& lowest() const { return lowest_; }
  const std::array<double, 3>& edge() const { return edge_; }
  /// Number of each sorted point in the given order.
  std::span<const std::size_t> order() const { return order_; }
  /// Calls use(first, last) for the ranges of points that may lie within these half extents of a
  /// place, in cells.
  template <class Use>
  void near(const std::array<double, 3>& place, const Vec3& half, const Use& use) const {
    std::array<IndexRange, 3> bins;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const int at = static_cast<int>(axis);
      bins[axis] = {bin_at(axis, place[axis] - half[at]), bin_at(axis, place[axis] + half[at]) + 1};
    }
    for (std::int32_t z = bins[2].begin; z < bins[2].end; ++z)
      for (std::int32_t y = bins[1].begin; y < bins[1].end; ++y) {
        const std::size_t row = (static_cast<std::size_t>(z) * static_cast<std::size_t>(bins_[1]) +
                                 static_cast<std::size_t>(y)) *
                                static_cast<std::size_t>(bins_[0]);
        const std::size_t first = starts_[row + static_cast<std::size_t>(bins[0].begin)],
                          last = starts_[row + static_cast<std::size_t>(bins[0].end)];
        if (first < last) use(first, last);
      }
  }

 private:
  /// The bin of a place along an axis; the outermost bins also hold what lies outside.
  std::int32_t bin_at(std::size_t axis, double place) const;

  std::array<double, 3> lowest_{}, edge_{1, 1, 1};
  std::array<std::int32_t, 3> bins_{1, 1, 1};
  std::array<std::vector<double>, 3> places_;  ///< padded, so that whole vectors can be read
  std::vector<std::size_t> order_, starts_;
};

}  // namespace skde
