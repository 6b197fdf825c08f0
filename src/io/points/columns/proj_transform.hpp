#pragma once

#include <functional>
#include <span>
#include <string>

namespace skde::io {

/// Transforms three coordinates of each place in place; for one thread at a time.
using PlaceTransform = std::function<void(std::span<double> xyz)>;

/// Returns a PROJ step, on longitudes and latitudes in radians or on lengths in metres. Throws
/// std::runtime_error if PROJ does not know the step.
PlaceTransform proj_transform(const std::string& step);

}  // namespace skde::io
