#pragma once

#include <string>
#include <vector>

#include "core/density_metadata.hpp"
#include "viewer/layers/space/value_axis.hpp"

namespace skde::view::ui {

/// A tick of a colour bar; short ticks between the decades have no label.
struct ValueTick {
  double share = 0;  ///< of the axis, 0..1
  std::string label;
};

/// The kind of values of the density that is shown.
struct ValueKind {
  Normalization normalization = Normalization::density;
  std::string units{};  ///< of the coordinates; empty if unknown
};

/// Ticks over an axis of values, and the caption of the axis, which includes what the labels omit.
struct ValueTicks {
  std::vector<ValueTick> ticks;
  std::string caption;
};

/// Returns the unit of such values.
std::string value_unit(const ValueKind& kind);

/// Returns at most `most` labels: round numbers, or decades if a logarithmic axis holds two of
/// them. The caption is "density (m⁻³)", adapted to normalisation and units.
ValueTicks value_ticks(const ValueAxis& axis, int most, const ValueKind& kind);
/// The same for a quantity of this name and unit.
ValueTicks value_ticks(const ValueAxis& axis, int most, const std::string& name,
                       const std::string& unit);

}  // namespace skde::view::ui
