#pragma once

#include <span>

#include "engines/cpu/ranges/log_sums.hpp"

namespace skde {

class Progress;
struct PointSetup;

/// Returns sums of unbounded kernels, not divided by W: of all samples at the points, or of all
/// others at each sample. Also returns the means of `channels` numbers per sample. Adds images to
/// `setup` as far beyond faces as they count at the points. Throws what KernelLogs and
/// BoundaryImages throw.
LogSums kernel_logs(PointSetup& setup, bool leave_one_out, std::span<const double> b,
                    std::size_t channels, int threads, Progress& progress);

}  // namespace skde
