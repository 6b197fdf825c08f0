#include "viewer/ui/value_ticks.hpp"

#include <algorithm>

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

}  // namespace

std::string value_unit(const ValueKind& kind) {
  return quantity(kind.normalization, kind.units).unit;
}

ValueTicks value_ticks(const ValueAxis& axis, int most, const ValueKind& kind) {
  const Quantity what = quantity(kind.normalization, kind.units);
  return value_ticks(axis, most, what.name, what.unit);
}

ValueTicks value_ticks(const ValueAxis& axis, int most, const std::string& name,
                       const std::string& unit) {
  const AxisTicks ticks = axis.logarithmic
                              ? choose_log_ticks(axis.low, axis.high, most)
                              : choose_ticks(axis.low, axis.high, std::max(most - 1, 1));
  ValueTicks result{{}, axis_caption(name, ticks, unit)};
  for (std::size_t i = 0; i < ticks.positions.size(); ++i)
    result.ticks.push_back({axis.share_of(ticks.positions[i]), ticks.labels[i]});
  for (const double position : ticks.minor) result.ticks.push_back({axis.share_of(position), ""});
  return result;
}

}  // namespace skde::view::ui
