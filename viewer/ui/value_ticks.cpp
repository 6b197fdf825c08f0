#include "viewer/ui/value_ticks.hpp"

#include <algorithm>
#include <cmath>

#include "pictures/axis_ticks.hpp"
#include "pictures/picture_captions.hpp"

namespace skde::view::ui {
namespace {

struct Quantity {
  std::string name, unit;
};

Quantity quantity(Normalization normalization, const std::string& units) {
  DensityMetadata metadata;
  metadata.normalization = normalization;
  metadata.units = units;
  return {normalization == Normalization::count ? "samples" : quantity_name(metadata),
          quantity_unit(metadata)};
}

/// The whole powers of ten on the axis, from the first to behind the last.
struct Decades {
  int first = 0, end = 0;
};
Decades decades(const ValueAxis& axis) {
  constexpr double kRounding = 1e-9;  // an end at 1e-3 must not lose its decade
  return {static_cast<int>(std::ceil(std::log10(axis.low) - kRounding)),
          static_cast<int>(std::floor(std::log10(axis.high) + kRounding)) + 1};
}

std::vector<ValueTick> decade_ticks(const ValueAxis& axis, const Decades& decades, int most) {
  const int count = decades.end - decades.first;
  const int stride = (count + most - 1) / most;
  std::vector<ValueTick> ticks;
  for (int decade = decades.first - 1; decade < decades.end; ++decade) {
    const double power = std::pow(10.0, decade);
    if (decade >= decades.first)
      ticks.push_back({axis.share_of(power), decade % stride == 0 ? power_of_ten(decade) : ""});
    for (int digit = 2; digit < 10 && stride == 1; ++digit)
      if (const double value = digit * power; value > axis.low && value < axis.high)
        ticks.push_back({axis.share_of(value), ""});
  }
  return ticks;
}

}  // namespace

ValueTicks value_ticks(const ValueAxis& axis, int most, Normalization normalization,
                       const std::string& units) {
  const Quantity what = quantity(normalization, units);
  if (axis.logarithmic) {
    const Decades all = decades(axis);
    if (all.end - all.first >= 2)
      return {decade_ticks(axis, all, std::max(most, 1)), axis_caption(what.name, {}, what.unit)};
  }
  const AxisTicks round = choose_ticks(axis.low, axis.high, std::max(most - 1, 1));
  ValueTicks result{{}, axis_caption(what.name, round, what.unit)};
  for (std::size_t i = 0; i < round.positions.size(); ++i)
    result.ticks.push_back({axis.share_of(round.positions[i]), round.labels[i]});
  return result;
}

}  // namespace skde::view::ui
