#pragma once

#include "core/progress.hpp"
#include "core/samples.hpp"
#include "core/symmetric3.hpp"

namespace skde {

/// How far the sample that is furthest from any other one is from its nearest, in the space in
/// which the matrix S is the unit matrix: a kernel of that half width reaches every sample from
/// another. Exact, or below it by less than 1e-9 of it where many samples are as far. `guess` is
/// where the search begins.
double furthest_nearest(const SamplesView& samples, const Symmetric3& matrix, double guess,
                        int threads, Progress& progress);

}  // namespace skde
