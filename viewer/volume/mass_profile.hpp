#pragma once

#include <optional>
#include <vector>

#include "analysis/mass_levels.hpp"
#include "viewer/volume/volume_histogram.hpp"

namespace skde::view {

/// How the mass of a density is spread over its values, from a histogram of its cells. Levels are
/// those of mass_levels() to within a bin, 0.55 % of the value, and are known without reading the
/// values back from the graphics card.
class MassProfile {
 public:
  MassProfile() = default;
  /// `cell_volume` is in cubed units of the coordinates; `in_box` is the share of the whole mass
  /// in the box, above 0.
  MassProfile(const Histogram& histogram, double cell_volume, double in_box);

  /// Returns the share of the whole mass in the cells whose density is above a value.
  double mass_above(double value) const;
  /// Returns the volume of these cells.
  double volume_above(double value) const;
  /// Returns the share of the whole mass in the box; 0 if no value is positive.
  double in_box() const { return sums_.front(); }
  /// Returns the highest-density region of a mass; none if the box holds less.
  std::optional<MassLevel> region(double mass) const;

 private:
  double interpolated(const std::vector<double>& above, double value) const;

  ValueAxis axis_;
  /// Share of the mass, and volume, above the lower edge of each bin and above the last edge.
  std::vector<double> sums_{0, 0}, volumes_{0, 0};
};

}  // namespace skde::view
