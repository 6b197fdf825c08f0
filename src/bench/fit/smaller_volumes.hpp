#pragma once

#include <cstddef>
#include <optional>

#include "core/volume.hpp"

/// Volumes of fewer bytes that stand for a volume, as mixtures do.
namespace skde::bench {

struct SmallerVolume {
  Volume values;     ///< what they stand for, on the cells of the given volume
  double bytes = 0;  ///< of what is kept
};

/// Returns means of boxes of the volume, so many at most, with as many boxes along each side as
/// its length allows; and from them, linearly interpolated, values at the given cells. None if so
/// many numbers hold the volume itself.
std::optional<SmallerVolume> reduced_volume(const Volume& volume, std::size_t numbers);

/// Returns the volume as an OpenVDB file of half floats keeps it. The least values are left out,
/// as background, until the file has at most so many bytes; if none is so small, the smallest.
/// Values are stored as a share of the peak, for which half floats are enough. Throws
/// Error(unsupported) in a build without OpenVDB.
SmallerVolume half_openvdb_volume(const Volume& volume, double bytes);

}  // namespace skde::bench
