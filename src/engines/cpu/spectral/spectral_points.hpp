#pragma once

#include <optional>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/report/progress.hpp"
#include "core/space.hpp"

namespace skde {

/// Returns sum_j w_j exp(-|x_i - x_j|^2 / (2 h^2)) at every sample i of a cloud, i = j included, in
/// the space in which the cloud's matrix S is the unit matrix. Samples are spread over the nodes of
/// a box by B-splines, transformed, multiplied, transformed back and read by the same splines. The
/// error is below 1e-8 of the height of the heaviest kernels. Fast if consecutive samples lie close
/// together. Returns nothing if it would take more than `most_bytes` of memory. Throws
/// Error(cancelled).
std::optional<std::vector<double>> gaussian_sums(const SamplesView& samples,
                                                 const Symmetric3& matrix, double h,
                                                 double most_bytes, int threads,
                                                 Progress& progress);

}  // namespace skde
