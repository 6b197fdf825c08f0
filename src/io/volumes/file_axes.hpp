#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/space/volume.hpp"

namespace skde::io {

/// Orientation of a file's axes in the world, the fastest axis first. Files of other programs may
/// have descending axes, or the axes in another order.
struct FileAxes {
  std::array<std::int64_t, 3> sizes{};        ///< cells along each axis of the file
  std::array<std::size_t, 3> world{0, 1, 2};  ///< 0, 1, 2 for x, y, z: world axis of each file axis
  Vec3 first;                                 ///< centre of the file's first value
  Vec3 step{1, 1, 1};                         ///< step to the next value along x, y, z; may be < 0
};

/// Returns the axes of a file whose indices advance by these vectors. Throws Error(input) if a
/// vector deviates from a world axis by more than `tolerance` of its length, or if two have the
/// same axis.
FileAxes axes_along(const std::string& name, const std::array<std::int64_t, 3>& sizes, Vec3 first,
                    const std::array<Vec3, 3>& vectors, double tolerance = 0);

/// Returns the grid of the values, with ascending axes x, y, z. Throws what grid_of_file throws.
Grid grid_along(const std::string& name, const FileAxes& axes);

/// Reorders values from the order of the file to that of the grid.
void put_in_order(Volume& volume, const FileAxes& axes);

}  // namespace skde::io
