#pragma once

#include "core/cloud/moments.hpp"

namespace skde {

/// Returns the sums of samples without weights, each counted as 1. They are added in the order of
/// the samples, so the bits are the same on every machine, whatever instructions it has.
Moments::Sums plain_sums(const SamplesView& points);

/// Returns the bounding box of samples, of which there must be at least one.
Box box_around(const SamplesView& points);

}  // namespace skde
