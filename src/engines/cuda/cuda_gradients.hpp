#pragma once

#include <span>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "core/report/progress.hpp"

namespace skde {

/// Returns the gradients of sum_i w_i amplitude k(q_i) at points (3 doubles each), 3 doubles per
/// point in world units, by sums in double on a CUDA device. The kernel must have a slope_of(), and
/// the samples share it. Throws Error(resources) if the device or its memory does not suffice, and
/// Error(cancelled).
std::vector<double> cuda_gradients(const Kernel& kernel, const SamplesView& samples,
                                   std::span<const double> points, int device, Progress& progress);

}  // namespace skde
