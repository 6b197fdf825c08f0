#pragma once

#include "bandwidth/data_driven_bandwidth.hpp"

namespace skde {

/// Chooses the bandwidth by the rule that suits the samples:
/// - `lscv`, by the score of the Gaussian (PairDistances);
/// - `plug-in` where the score has no minimum, or samples are tied or rounded, on which the score
///   would settle: a thousandth of them have the place of another, or h is below ten rounding
///   steps;
/// - Silverman's below 30 samples, where plug-in is below a rounding step, too, and where the
///   moments keep no samples.
/// The samples that the moments keep decide, and h is scaled to all by n_eff^(-1/7). So it takes
/// the same time for every cloud, and the same cloud has the same h on every machine, in memory and
/// in parts. The form of S, if it is left to the samples, is that of the least score; `free` then
/// finds all entries of H. The scores count the images of samples at faces. A
/// sharpened density has the score of its own (sharpened_score), after the form. For other kernels
/// h is scaled canonically (`judge`). Throws what select_bandwidth throws, and Error(cancelled).
DataDrivenBandwidth automatic_bandwidth(const Moments& moments, const DataDrivenSpec& spec,
                                        const DataDrivenEffort& effort, Progress& progress);

}  // namespace skde
