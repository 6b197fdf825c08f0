#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace skde::io {

/// Returns the units of x, y and z from the coordinate system that a LAS file states in its
/// variable length records, as GeoTIFF keys or well-known text; empty if it states no known unit. z
/// has the unit of x and y unless another is stated. `records` holds the bytes after the header.
std::array<std::string, 3> las_units(std::string_view records, std::uint64_t count);

}  // namespace skde::io
