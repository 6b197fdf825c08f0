#pragma once

#include <span>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "core/report/progress.hpp"

namespace skde {

/// The sums of w_i amplitude k(q_i) at points (3 doubles each), in double: those of the kernels cut
/// where they are, with nothing left out (RangeReduction). The same bits for any number of threads
/// (0: one a core). Throws Error(cancelled); the stage counts points.
std::vector<double> sums_at(std::span<const double> points, const Kernel& kernel,
                            const SamplesView& samples, int threads, Progress& progress);

/// The sums of every sample, added to `sums`; for few points, as nothing is sorted.
void add_sums_at(std::span<const double> points, const Kernel& kernel, const SamplesView& samples,
                 int threads, std::span<double> sums);

/// Bytes of host memory that it takes for each sample and each point.
inline constexpr double kSumsSampleBytes = 72, kSumsPointBytes = 72;

}  // namespace skde
