#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace skde::io {

/// Calls `take` with the owner, the number and the content of each of the `count` variable length
/// records after the header of a LAS file.
void each_las_record(std::string_view records, std::uint64_t count,
                     const std::function<void(std::string_view owner, std::uint64_t number,
                                              std::string_view content)>& take);
/// Returns the units of x, y and z from the coordinate system that a LAS file states in its
/// variable length records, as GeoTIFF keys or well-known text; empty if it states no known unit. z
/// has the unit of x and y unless another is stated. `records` holds the bytes after the header.
std::array<std::string, 3> las_units(std::string_view records, std::uint64_t count);

}  // namespace skde::io
