#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/cloud/samples.hpp"

namespace skde {

/// The samples of a cloud in two parts.
struct SplitSamples {
  Samples kept, held_out;
};

/// Holds out each sample with the probability `share`, by a random number that belongs to its place
/// in the cloud and the seed. Columns of categories and further values are not copied.
SplitSamples hold_out(const SamplesView& samples, double share, std::uint64_t seed);

/// The Kullback-Leibler divergence of a density f from a model m as its mean over samples of f.
struct SampledDivergence {
  double value = 0;           ///< mean of log f - log m by weight, in nats
  std::size_t samples = 0;    ///< all
  std::size_t undefined = 0;  ///< left out, as f or m is 0 there
};

/// Returns the mean over samples from the logarithms of f and of m at them. `weights` may be empty:
/// each is 1.
SampledDivergence sampled_divergence(std::span<const double> log_densities,
                                     std::span<const double> log_model,
                                     std::span<const double> weights);

}  // namespace skde
