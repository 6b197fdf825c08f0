#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/report/progress.hpp"
#include "core/space/space.hpp"

namespace skde {

/// Computes mean shifts as mean_shifts() says, on a CUDA device. Returns the targets whose shifts
/// are not within `error` deviations: sums in float have too few digits, or no source is near.
/// Their shifts are undefined. Throws Error(resources) if the device or its memory does not
/// suffice, and Error(cancelled).
std::vector<std::size_t> cuda_mean_shifts(const Symmetric3& H, const SamplesView& sources,
                                          std::span<const double> targets, double error, int device,
                                          std::span<double> shifts, Progress& progress);

}  // namespace skde
