#pragma once

#include <string>
#include <vector>

#include "core/density_metadata.hpp"
#include "viewer/layers/volume/volume_look.hpp"

namespace skde::view::ui {

/// A tick of a colour bar; short ticks between the decades have no label.
struct ValueTick {
  double share = 0;  ///< of the axis, 0..1
  std::string label;
};

/// What values measure.
struct Quantity {
  std::string name, unit;  ///< the unit may be empty
};

/// Ticks over an axis of values, and the caption of the axis, which includes what the labels omit.
struct ValueTicks {
  std::vector<ValueTick> ticks;
  std::string caption;
};

/// Returns what the values of a density measure, in units of the coordinates, which may be empty.
Quantity density_quantity(Normalization normalization, const std::string& units);

/// Returns at most `most` labels: round numbers, or decades if a logarithmic axis holds two of
/// them. The caption is "density (m⁻³)".
ValueTicks value_ticks(const ValueAxis& axis, int most, const Quantity& quantity);

}  // namespace skde::view::ui
