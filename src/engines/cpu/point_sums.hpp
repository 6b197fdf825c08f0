#pragma once

#include <span>
#include <vector>

#include "core/kernel_shape.hpp"
#include "core/progress.hpp"
#include "core/samples.hpp"

namespace skde {

/// The sums of w_i amplitude k(q_i) at points (3 doubles each), in double: those of the kernels cut
/// where they are, with nothing left out. Samples are sorted into cells of the space in which the
/// kernel is a ball; a point sees those within its reach alone, so that the work is that of the
/// pairs that count. The same bits for any number of threads (0: one a core). Throws
/// Error(cancelled); the stage counts points.
std::vector<double> sums_at(std::span<const double> points, const Kernel& kernel,
                            const SamplesView& samples, int threads, Progress& progress);

/// The same sums of every sample, added to `sums`; for few points, as nothing is sorted. Samples
/// have one kernel.
void add_sums_at(std::span<const double> points, const Kernel& kernel, const SamplesView& samples,
                 int threads, std::span<double> sums);

/// Bytes of host memory that it takes for each sample and each point.
inline constexpr double kSumsSampleBytes = 40, kSumsPointBytes = 24;

}  // namespace skde
