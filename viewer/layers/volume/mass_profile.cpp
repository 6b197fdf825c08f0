#include <algorithm>
#include <cmath>
#include <functional>

#include "viewer/layers/volume/volume_histogram.hpp"

namespace skde::view {

MassProfile::MassProfile(const Histogram& histogram, double cell_volume, double in_box)
    : axis_(histogram.axis), sums_(Histogram::kBins + 1), volumes_(Histogram::kBins + 1) {
  const double step = std::log(axis_.high / axis_.low) / Histogram::kBins;
  // The mean of values whose logarithms are evenly spread in a bin, over its lower edge.
  const double mean = std::expm1(step) / step;
  const double factor = std::exp(-step);
  double low = 1;  // edge of the bin, in units of the peak
  for (std::size_t bin = Histogram::kBins; bin-- > 0;) {
    const auto cells = static_cast<double>(histogram.counts[bin]);
    low *= factor;
    sums_[bin] = sums_[bin + 1] + cells * low * mean;
    volumes_[bin] = volumes_[bin + 1] + cells * cell_volume;
  }
  if (const double all = sums_.front(); all > 0)
    for (double& sum : sums_) sum = sum / all * in_box;
}

double MassProfile::interpolated(const std::vector<double>& above, double value) const {
  if (!(value > axis_.low)) return above.front();
  const double at = axis_.share_of(value) * static_cast<double>(above.size() - 1);
  const std::size_t bin = std::min(static_cast<std::size_t>(at), above.size() - 2);
  return std::lerp(above[bin], above[bin + 1], at - static_cast<double>(bin));
}

double MassProfile::mass_above(double value) const { return interpolated(sums_, value); }
double MassProfile::volume_above(double value) const { return interpolated(volumes_, value); }

std::optional<MassRegion> MassProfile::region(double mass) const {
  if (!(mass > 0) || mass > in_box()) return std::nullopt;
  // The sums descend; the level is in the last bin whose lower edge has at least this mass above.
  const auto next = std::lower_bound(sums_.begin(), sums_.end(), mass, std::greater<>());
  const auto after = std::max<std::ptrdiff_t>(next - sums_.begin(), 1);
  const auto i = static_cast<std::size_t>(after);
  const double drop = sums_[i - 1] - sums_[i];
  const double within = drop > 0 ? (sums_[i - 1] - mass) / drop : 0;
  const double at = static_cast<double>(i - 1) + std::clamp(within, 0.0, 1.0);
  const double level = axis_.value_at(at / static_cast<double>(sums_.size() - 1));
  return MassRegion{mass, level, volume_above(level)};
}

}  // namespace skde::view
