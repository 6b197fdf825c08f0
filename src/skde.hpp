#pragma once

// All of libskde that most of its users need: samples in (Session), densities out (Density). What
// few need has headers of its own, which the comments in these name.
#include "core/report/error.hpp"
#include "core/report/progress.hpp"
#include "estimate/session.hpp"

/// Kernel densities of samples in three dimensions. Lengths are in the units of the samples'
/// coordinates, "world units". What goes wrong is thrown as an Error.
namespace skde {
/// Files of points and of volumes.
namespace io {}
}  // namespace skde
