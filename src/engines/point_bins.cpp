#include "engines/point_bins.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace skde {

PointBins::PointBins(const TargetPoints& points, const Grid& frame) {
  constexpr double kPointsOfBin = 8;
  constexpr std::int32_t kMostBins = 128;  // along an axis
  constexpr std::size_t kPadding = 16;     // of the widest vector
  const std::size_t count = points.size();
  std::vector<Vec3> places(count);
  std::array<double, 3> highest{};
  lowest_.fill(std::numeric_limits<double>::infinity());
  highest.fill(-std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < count; ++i) {
    places[i] = frame.to_cells(points.point(i));
    for (int axis = 0; axis < 3; ++axis) {
      const auto at = static_cast<std::size_t>(axis);
      lowest_[at] = std::min(lowest_[at], places[i][axis]);
      highest[at] = std::max(highest[at], places[i][axis]);
    }
  }
  const double side = std::cbrt(static_cast<double>(count) / kPointsOfBin);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    bins_[axis] = std::clamp(static_cast<std::int32_t>(side), 1, kMostBins);
    const double length = highest[axis] - lowest_[axis];
    edge_[axis] = length > 0 ? length / bins_[axis] : 1;
  }
  const auto bins = static_cast<std::size_t>(std::int64_t{bins_[0]} * bins_[1] * bins_[2]);
  std::vector<std::size_t> bin(count);
  starts_.assign(bins + 1, 0);
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t at = 0;
    for (int axis = 2; axis >= 0; --axis) {
      const auto a = static_cast<std::size_t>(axis);
      at = at * bins_[a] + bin_at(a, places[i][axis]);
    }
    ++starts_[(bin[i] = static_cast<std::size_t>(at)) + 1];
  }
  for (std::size_t b = 0; b < bins; ++b) starts_[b + 1] += starts_[b];
  std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
  order_.resize(count);
  for (std::size_t i = 0; i < count; ++i) order_[next[bin[i]]++] = i;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    places_[axis].resize(count + kPadding);
    for (std::size_t i = 0; i < count; ++i)
      places_[axis][i] = places[order_[i]][static_cast<int>(axis)];
  }
}

std::int32_t PointBins::bin_at(std::size_t axis, double place) const {
  const double at = std::floor((place - lowest_[axis]) / edge_[axis]);
  // A place that is not a number has the first bin.
  return at > 0 ? static_cast<std::int32_t>(std::min(at, bins_[axis] - 1.0)) : 0;
}

}  // namespace skde
