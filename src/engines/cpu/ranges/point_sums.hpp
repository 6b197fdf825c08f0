#pragma once

#include <span>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "core/report/progress.hpp"

namespace skde {

/// Returns the sums of w_i amplitude k(q_i) at points (3 doubles each), in double. Kernels are cut
/// as `kernel` says, and nothing else is left out (RangeReduction). The bits are the same for any
/// number of threads (0: one per core). The stage counts points. Throws Error(cancelled).
std::vector<double> sums_at(std::span<const double> points, const Kernel& kernel,
                            const SamplesView& samples, int threads, Progress& progress);

/// Adds the sums over all samples to `sums`. For few points, as nothing is sorted.
void add_sums_at(std::span<const double> points, const Kernel& kernel, const SamplesView& samples,
                 int threads, std::span<double> sums);

/// Bytes of host memory that sums_at() takes per sample and per point.
inline constexpr double kSumsSampleBytes = 72, kSumsPointBytes = 72;

}  // namespace skde
