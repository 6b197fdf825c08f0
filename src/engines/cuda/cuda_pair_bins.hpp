#pragma once

#include "core/cloud/samples.hpp"
#include "core/report/progress.hpp"
#include "core/space/space.hpp"
#include "engines/cpu/ranges/pair_bins.hpp"

namespace skde {

/// Returns the PairBins of samples of equal weights from sums on a CUDA device, with the bits that
/// they have from CPUs.
/// Throws Error(resources) if the device or its memory does not suffice, and Error(cancelled).
PairBins cuda_pair_bins(const SamplesView& samples, const Symmetric3& S, double reach, double total,
                        int threads, int device, Progress& progress);

}  // namespace skde
