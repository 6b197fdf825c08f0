#pragma once

#include "core/report/progress.hpp"
#include "core/space/volume.hpp"

namespace skde {

/// Returns the mass of the density in the box as the sum over its cells, some slices at a time.
/// Throws Error(cancelled).
double volume_mass(const Volume& volume, Progress& progress);

}  // namespace skde
