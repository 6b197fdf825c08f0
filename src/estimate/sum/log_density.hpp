#pragma once

#include <span>

#include "engines/cpu/ranges/log_sums.hpp"

namespace skde {

class Progress;
struct PointSetup;

/// The kernels, without an end, of all samples at the points, or of all others at each sample, over
/// no W, with the means of `channels` numbers a sample: images are taken as far beyond faces as
/// they count at the points, so that `setup` holds more of them then. Throws what KernelLogs and
/// BoundaryImages throw.
LogSums kernel_logs(PointSetup& setup, bool leave_one_out, std::span<const double> b,
                    std::size_t channels, int threads, Progress& progress);

}  // namespace skde
