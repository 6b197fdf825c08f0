#include "pictures/picture_layout.hpp"

#include <algorithm>
#include <cmath>

namespace skde {
namespace {

constexpr double kLargestRatio = 4;

bool comparable(double a, double b) {
  return std::max(a, b) <= kLargestRatio * (1 + 1e-9) * std::min(a, b);
}

/// Lengths of the three sides, in ascending order, at which all are readable side by side.
std::array<double, 3> readable(const std::array<double, 3>& s) {
  if (comparable(s[0], s[2])) return s;
  if (comparable(s[0], s[1]) && (!comparable(s[1], s[2]) || s[2] / s[1] >= s[1] / s[0]))
    return {s[0], s[1], 1.5 * s[1]};
  if (comparable(s[1], s[2])) return {0.4 * s[2], s[1], s[2]};
  const double power = std::log(2.0) / std::log(s[2] / s[0]);
  return {std::pow(s[0] / s[2], power), std::pow(s[1] / s[2], power), 1};
}

}  // namespace

PictureSides choose_sides(const Vec3& extent, int across, int up) {
  std::array<int, 3> order{0, 1, 2};
  std::sort(order.begin(), order.end(), [&](int a, int b) { return extent[a] < extent[b]; });
  // Relative to the longest side, so that no product of extents overflows.
  const double longest = extent[order[2]];
  const std::array<double, 3> sorted{extent[order[0]] / longest, extent[order[1]] / longest, 1};
  const std::array<double, 3> lengths = readable(sorted);
  Vec3 side;
  for (std::size_t i = 0; i < 3; ++i) side[order[i]] = lengths[i];
  const double scale = std::min(across / (side.x + side.z), up / (side.y + side.z));
  PictureSides sides;
  sides.one_scale = lengths == sorted;
  for (int axis = 0; axis < 3; ++axis)
    sides.pixels[static_cast<std::size_t>(axis)] =
        std::max(1, static_cast<int>(std::lround(scale * side[axis])));
  return sides;
}

}  // namespace skde
