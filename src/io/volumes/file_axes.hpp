#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/volume.hpp"

namespace skde::io {

/// How the axes of a file, the fastest first, lie in the world. Files of others may count an axis
/// downwards or have the axes in another order.
struct FileAxes {
  std::array<std::int64_t, 3> sizes{};        ///< cells along each axis of the file
  std::array<std::size_t, 3> world{0, 1, 2};  ///< 0, 1, 2 for x, y, z: where each axis leads
  Vec3 first;                                 ///< centre of the file's first value
  Vec3 step{1, 1, 1};  ///< from a value to the next along x, y, z; may be < 0
};

/// The axes of a file whose indices lead along these vectors. Error(input) where a vector is not
/// along an axis of the world, but for `tolerance` of its length, or two are along the same.
FileAxes axes_along(const std::string& name, const std::array<std::int64_t, 3>& sizes, Vec3 first,
                    const std::array<Vec3, 3>& vectors, double tolerance = 0);

/// The grid on which the values lie, its axes x, y, z and upwards. Throws what grid_of_file throws.
Grid grid_along(const std::string& name, const FileAxes& axes);

/// Puts values that lie as in the file where they belong.
void put_in_order(Volume& volume, const FileAxes& axes);

}  // namespace skde::io
