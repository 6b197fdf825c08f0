#pragma once

#include <vector>

#include "core/cloud/samples.hpp"
#include "core/space/grid.hpp"

namespace skde::test {

/// Returns the samples at x + (H/2) grad log f_H(x), 3 doubles each, where f_H is their density by
/// Gaussians of covariance H; by plain double sums. At faces of the box, f_H has the images of
/// samples in the box and in two boxes on every side, mirrored with their kernels or shifted; moved
/// samples that leave the box come back. Samples lie in the box along axes with boundaries.
std::vector<double> sharpened_places(const SamplesView& points, const Symmetric3& H,
                                     const Box& box = {}, const Boundaries& boundaries = {});

}  // namespace skde::test
