#include "viewer/layers/volume/mass_opacities.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace skde::view {
namespace {

/// The part of the mass between two regions, and the optical depth that it has on average over all
/// rays through the box.
struct Shell {
  double from, to;  ///< shares of the mass in the box; 0: the peak
  double depth;
};
constexpr std::array<Shell, 3> kMassShells{{{0.97, 0.75, 0.04}, {0.75, 0.3, 0.07}, {0.3, 0, 0.12}}};

// A ray through a cube crosses 0.38 of its diagonal on average, and an opacity is that of a
// hundredth of the diagonal.
constexpr double kRayLayers = 38;
constexpr double kFaintShell = 0.003, kDenseShell = 0.95;
constexpr double kPointStep = 1e-3;  // of positions on the axis

/// A faint surface in the haze: the share of the mass that it holds, and its opacity above that.
constexpr std::array<std::pair<double, double>, 3> kRidges{
    {{0.95, 0.05}, {0.75, 0.08}, {0.5, 0.12}}};
constexpr double kRidge = 0.012;  // its half width, on the axis

double opacity_of(const std::vector<ControlPoint>& line, double position) {
  std::size_t right = 1;
  while (right + 1 < line.size() && line[right].position < position) ++right;
  const ControlPoint &from = line[right - 1], &to = line[right];
  return std::lerp(from.opacity, to.opacity,
                   (position - from.position) / (to.position - from.position));
}

/// Raises a line to a ridge. Does nothing where another ridge or the end of the haze is too near.
void add_ridge(std::vector<ControlPoint>& points, const std::vector<ControlPoint>& line,
               double middle, double height, double& free) {
  const double low = middle - kRidge, high = middle + kRidge;
  if (low < free + kPointStep || high > 1 - kPointStep) return;
  std::erase_if(points, [&](const ControlPoint& point) {
    return point.position > low - kPointStep && point.position < high + kPointStep;
  });
  const auto next = std::ranges::upper_bound(points, middle, {}, &ControlPoint::position);
  points.insert(next, {{low, opacity_of(line, low)},
                       {middle, std::min(opacity_of(line, middle) + height, 1.0)},
                       {high, opacity_of(line, high)}});
  free = high;
}

}  // namespace

std::vector<ControlPoint> opacities_by_mass(const MassProfile& masses, const ValueAxis& axis,
                                            double box_volume) {
  const auto region = [&](double share) {
    const auto found = share > 0 ? masses.region(share * masses.in_box()) : std::nullopt;
    return found.value_or(MassRegion{0, axis.high, 0});
  };
  std::vector<ControlPoint> points{{0, 0}};
  double opacity = kFaintShell;
  const auto add = [&](double position, double value) {
    const double least = points.back().position + kPointStep;
    if (position < 1 - kPointStep) points.push_back({std::max(position, least), value});
  };
  for (const Shell& shell : kMassShells) {
    const MassRegion outer = region(shell.from), inner = region(shell.to);
    const double filled = std::max(outer.volume - inner.volume, 0.0) / box_volume;
    const double dimmed = -std::expm1(-shell.depth / std::max(kRayLayers * filled, 1e-9));
    opacity = std::clamp(dimmed, opacity, kDenseShell);
    const double low = axis.share_of(outer.level), high = axis.share_of(inner.level);
    if (points.size() == 1) add(low, 0);
    add(std::lerp(low, high, 0.5), opacity);
  }
  points.push_back({1, opacity});
  const std::vector<ControlPoint> line = points;
  double free = line[1].position;
  for (const auto& [share, height] : kRidges)
    add_ridge(points, line, axis.share_of(region(share).level), height, free);
  // Densities in other units must give the same picture, although their logarithms round otherwise.
  const auto rounded = [](double value) { return std::round(value * 1e6) / 1e6; };
  for (ControlPoint& point : points) point = {rounded(point.position), rounded(point.opacity)};
  return points;
}

}  // namespace skde::view
