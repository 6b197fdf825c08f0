#include "viewer/layers/volume/mass_opacities.hpp"

#include <algorithm>
#include <array>
#include <cmath>

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
  // Densities in other units must give the same picture, although their logarithms round otherwise.
  const auto rounded = [](double value) { return std::round(value * 1e6) / 1e6; };
  for (ControlPoint& point : points) point = {rounded(point.position), rounded(point.opacity)};
  return points;
}

}  // namespace skde::view
