#pragma once

#include "core/cloud/samples.hpp"
#include "core/report/progress.hpp"
#include "core/space/space.hpp"
#include "engines/cpu/ranges/pair_bins.hpp"

namespace skde {

/// Returns PairBins::counted() from sums on a CUDA device, which have the same bits on every one.
/// Throws Error(resources) if the device or its memory does not suffice, and Error(cancelled).
PairBins cuda_pair_bins(const SamplesView& samples, const Symmetric3& S, double reach, double total,
                        int device, Progress& progress);

}  // namespace skde
