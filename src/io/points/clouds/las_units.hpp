#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace skde::io {

/// The units of x, y, z by the coordinate system that a LAS file states in its variable length
/// records, as GeoTIFF keys or well-known text; empty where it states none that are known. z has
/// those of x and y where nothing else is said. `records`: the bytes behind the header.
std::array<std::string, 3> las_units(std::string_view records, std::uint64_t count);

}  // namespace skde::io
