#pragma once

#include <functional>
#include <span>
#include <string>

namespace skde::io {

/// Replaces three coordinates of each place; one thread at a time.
using PlaceTransform = std::function<void(std::span<double> xyz)>;

/// A step of PROJ, of longitudes and latitudes in radians or of lengths in metres.
/// std::runtime_error where PROJ does not know the step.
PlaceTransform proj_transform(const std::string& step);

}  // namespace skde::io
