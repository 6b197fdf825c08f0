#pragma once

#include <vector>

#include "viewer/layers/volume/transfer_function.hpp"
#include "viewer/layers/volume/volume_histogram.hpp"

namespace skde::view {

/// Returns opacities that show haze and core of any density, from the regions that hold shares of
/// its mass. Nothing is drawn outside the region of 97 %. What lies between it and the regions of
/// 75 % and 30 %, and within the last, is as opaque as dims the box by a fixed amount on average:
/// the smaller its volume, the more opaque. `box_volume` is in cubed units of the coordinates.
std::vector<ControlPoint> opacities_by_mass(const MassProfile& masses, const ValueAxis& axis,
                                            double box_volume);

}  // namespace skde::view
