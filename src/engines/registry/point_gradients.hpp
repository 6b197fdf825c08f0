#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "core/report/progress.hpp"

namespace skde {

/// Returns the gradients of sum_i w_i amplitude k(q_i) at points (3 doubles each), 3 doubles per
/// point in world units, by sums in double: on the CUDA device `gpu`, unless it is none or samples
/// have kernels of their own, or on the CPU by so many threads (0: one per core). Throws
/// Error(usage) for kernels without a slope_of(), Error(resources) if the device's memory does not
/// suffice, and Error(cancelled).
std::vector<double> point_gradients(const Kernel& kernel, const SamplesView& samples,
                                    std::span<const double> points, int threads,
                                    std::optional<int> gpu, Progress& progress);

}  // namespace skde
