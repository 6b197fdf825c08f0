#pragma once

#include <future>
#include <optional>

#include "core/cloud/samples.hpp"
#include "core/report/progress.hpp"
#include "core/space/space.hpp"
#include "engines/cpu/ranges/pair_bins.hpp"

namespace skde {

/// The CUDA device that passes over pairs may use.
struct PairDevice {
  std::optional<int> number{};  ///< none: only the CPU
  bool starts = false;          ///< its start costs nothing: see start_pair_device()
};

/// Starts a CUDA device, which takes a while, beside other work. Does nothing if there is none;
/// pair_pass() reports other errors.
std::future<void> start_pair_device(int number);

/// Returns the PairBins of samples: from the device, if weights are equal and it is worth its
/// start, or else from so many threads (0: one per core). The number of pairs, as some of them
/// tell, decides, never the clock. Throws Error(cancelled).
PairBins pair_pass(const SamplesView& samples, const Symmetric3& S, double reach, double total,
                   int threads, const PairDevice& device, Progress& progress);

}  // namespace skde
