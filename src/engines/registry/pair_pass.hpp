#pragma once

#include <optional>

#include "core/cloud/samples.hpp"
#include "core/report/progress.hpp"
#include "core/space/space.hpp"
#include "engines/cpu/ranges/pair_bins.hpp"

namespace skde {

/// What may compute a sum over pairs.
struct PairPower {
  int threads = 0;           ///< 0: one per core
  std::optional<int> gpu{};  ///< the CUDA device; none: only the CPU
};

/// Returns the PairBins of samples, from the GPU if weights are equal and it is worth its start.
/// The number of pairs, as some of them tell, decides that, never the clock. Throws
/// Error(cancelled).
PairBins pair_pass(const SamplesView& samples, const Symmetric3& S, double reach, double total,
                   const PairPower& power, Progress& progress);

}  // namespace skde
