#pragma once

#include <string>
#include <vector>

#include "core/density_metadata.hpp"
#include "viewer/volume/value_axis.hpp"

namespace skde::view::ui {

/// A tick of a colour bar; short ones between the decades have no label.
struct ValueTick {
  double share = 0;  ///< of the axis, 0..1
  std::string label;
};

/// What the values of the density that is shown are.
struct ValueKind {
  Normalization normalization = Normalization::density;
  std::string units{};  ///< of the coordinates; empty where nobody knows
};

/// Ticks over an axis of values, and the caption of the axis with what the labels leave out.
struct ValueTicks {
  std::vector<ValueTick> ticks;
  std::string caption;
};

/// At most `most` labels: round numbers, or decades of a logarithmic axis that holds two of them.
/// The caption is "density (m⁻³)", or what the normalisation and the units make of it.
ValueTicks value_ticks(const ValueAxis& axis, int most, const ValueKind& kind);

}  // namespace skde::view::ui
