#pragma once

#include <openvdb/Grid.h>

#include <cstdint>
#include <string_view>

#include "core/space/grid.hpp"
#include "core/space/volume.hpp"

namespace skde::io {

/// Returns an empty openvdb::FloatGrid or DoubleGrid with background 0. The library creates it:
/// creating it here would compile the whole tree again, which takes 20 seconds.
openvdb::GridBase::Ptr empty_openvdb_grid(Precision precision);

/// Adds whole z-slices of a volume to a grid of empty_openvdb_grid(), with index = cell. `values`
/// have the grid's type, x fastest. Zeros stay background.
void add_openvdb_slices(openvdb::GridBase& to, const Grid& grid, std::int64_t first_slice,
                        std::string_view values);

}  // namespace skde::io
