#include "pictures/color_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/density_metadata.hpp"
#include "core/report/error.hpp"

namespace skde {
namespace {

bool is_diverging(ColorMap map) {
  const ColorMap plain = is_inverted(map) ? inverted(map) : map;
  return plain == ColorMap::blue_red || plain == ColorMap::green_purple;
}

/// Values of this name (see DensityMetadata) lie on both sides of 0.
bool are_differences(std::string_view values) {
  return values == "log_ratio" || values == "z" || values == kSignedDensity;
}

}  // namespace

Projection ColorScale::places_of(Projection plane) const {
  const auto step = [this](double value) { return log ? std::log(std::max(value, 0.0)) : value; };
  const double first = step(low), range = step(high) - first;
  for (double& value : plane.values)
    if (!std::isnan(value))
      value = range > 0 ? std::clamp((step(value) - first) / range, 0.0, 1.0) : middle;
  return plane;
}

ColorScale color_scale(const std::vector<const Projection*>& planes, std::string_view values,
                       const PictureLook& look) {
  constexpr double kLeastShare = 1e-4;
  const double endless = std::numeric_limits<double>::infinity();
  double low = endless, high = -endless, least = endless;  // `least` above 0
  for (const Projection* const plane : planes)
    for (const double value : plane->values) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
      if (value > 0) least = std::min(least, value);
    }
  const bool is_ratio = values == "ratio", has_two_sides = low < 0 && high > 0;
  if (values.empty() || low > high) low = 0;
  ColorScale scale{low, std::max(low, high)};
  scale.log = look.log || is_ratio;
  const bool diverges =
      are_differences(values) || is_ratio || (look.map && is_diverging(*look.map) && has_two_sides);
  if (scale.log && (low < 0 || (diverges && !is_ratio)))
    throw Error(ErrorKind::usage, "values on both sides of 0 have no logarithms",
                {"log", "leave out `log`"});
  scale.map = look.map.value_or(diverges ? ColorMap::blue_red : ColorMap::viridis);
  if (diverges) scale.middle = 0.5;
  if (is_ratio)
    scale.high = std::max(high, 1 / std::clamp(least, kLeastShare, 1.0));
  else if (diverges)
    scale.high = std::max(std::abs(low), std::abs(high));
  if (diverges) scale.low = is_ratio ? 1 / scale.high : -scale.high;
  if (!diverges && scale.log && scale.high > 0) scale.low = std::max(least, kLeastShare * high);
  return scale;
}

PictureAxis fit_color_axis(const ColorScale& scale, int pixels) {
  PictureAxis axis = fit_vertical_axis(scale.low, scale.high, pixels);
  axis.logarithmic = scale.log && scale.low > 0;
  constexpr int kDensestLabels = 48;  // pixels between them
  if (axis.logarithmic)
    axis.ticks = choose_log_ticks(scale.low, scale.high, std::max(2, pixels / kDensestLabels));
  return axis;
}

}  // namespace skde
