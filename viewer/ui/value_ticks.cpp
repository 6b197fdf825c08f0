#include "viewer/ui/value_ticks.hpp"

#include "pictures/axis_ticks.hpp"
#include "pictures/picture_captions.hpp"

namespace skde::view::ui {
namespace {

/// Returns the closest ticks that have at most `most` labels.
AxisTicks closest_ticks(const ValueAxis& axis, int most) {
  for (int intervals = most + 1; intervals > 1; --intervals) {
    AxisTicks ticks = choose_ticks(axis.low, axis.high, intervals);
    if (static_cast<int>(ticks.positions.size()) <= most) return ticks;
  }
  return choose_ticks(axis.low, axis.high, 1);
}

}  // namespace

Quantity density_quantity(Normalization normalization, const std::string& units) {
  DensityMetadata metadata;
  metadata.normalization = normalization;
  metadata.units = units;
  return {normalization == Normalization::count ? "samples" : quantity_name(metadata),
          quantity_unit(metadata)};
}

ValueTicks value_ticks(const ValueAxis& axis, int most, const Quantity& quantity) {
  const AxisTicks ticks =
      axis.logarithmic ? choose_log_ticks(axis.low, axis.high, most) : closest_ticks(axis, most);
  ValueTicks result{{}, axis_caption(quantity.name, ticks, quantity.unit)};
  for (std::size_t i = 0; i < ticks.positions.size(); ++i)
    result.ticks.push_back({axis.share_of(ticks.positions[i]), ticks.labels[i]});
  for (const double position : ticks.minor) result.ticks.push_back({axis.share_of(position), ""});
  return result;
}

}  // namespace skde::view::ui
