#pragma once

#include "core/cloud/moments.hpp"

namespace skde {

/// The sums of samples without weights, each of which counts as 1. In the order of the samples, so
/// that they have the same bits on every machine, whatever instructions it has.
Moments::Sums plain_sums(const SamplesView& points);

/// The box around samples, of which there is one at least.
Box box_around(const SamplesView& points);

}  // namespace skde
