#pragma once

#include <optional>

#include "core/cloud/samples.hpp"
#include "core/report/progress.hpp"
#include "core/space/space.hpp"
#include "engines/cpu/ranges/pair_bins.hpp"

namespace skde {

/// Returns the PairBins of samples: from the CUDA device `gpu`, unless it is none, if weights are
/// equal and it is worth its start, or else from so many threads (0: one per core). The number of
/// pairs, as some of them tell, decides, never the clock. Throws Error(cancelled).
PairBins pair_pass(const SamplesView& samples, const Symmetric3& S, double reach, double total,
                   int threads, std::optional<int> gpu, Progress& progress);

}  // namespace skde
