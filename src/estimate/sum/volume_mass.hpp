#pragma once

#include "core/report/progress.hpp"
#include "core/volume.hpp"

namespace skde {

/// The mass of the density in the box, as the cells sum it up, some slices at a time. Throws
/// Error(cancelled).
double volume_mass(const Volume& volume, Progress& progress);

}  // namespace skde
