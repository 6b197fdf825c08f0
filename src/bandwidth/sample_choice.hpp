#pragma once

#include <cstdint>

#include "bandwidth/bandwidth.hpp"
#include "core/cloud/moments.hpp"
#include "core/cloud/samples.hpp"

namespace skde {

/// Returns `count` samples of a cloud, chosen at random without repetition, in a seeded order; all
/// if there are no more. Bandwidth factors and shapes are not copied.
Samples choose_samples(const SamplesView& samples, std::uint64_t count, std::uint64_t seed);

/// Chooses like choose_samples(), but by a hash of values, not of places in the cloud: however the
/// samples are ordered, the same are chosen, in the same order. Sorts all samples.
Samples choose_by_value(const SamplesView& samples, std::uint64_t count, std::uint64_t seed);

/// Samples of a cloud that score its bandwidths, with the covariance of all samples.
struct ChosenSamples {
  Samples own{};  ///< holds them if they are not all
  SamplesView samples;
  Moments moments;
  BandwidthSpec bandwidth;
  double factor = 1;  ///< converts their h to one for all samples
};

/// Returns these samples of a cloud with these moments as those that score.
ChosenSamples chosen_samples(Samples chosen, const Moments& moments,
                             const BandwidthSpec& bandwidth);

/// Returns all samples, or `count` of them if that is less and not 0, as choose_samples() draws
/// them. A moved ChosenSamples keeps its view valid; a copied one does not.
ChosenSamples choose_some(const SamplesView& samples, const Moments& moments,
                          const BandwidthSpec& bandwidth, std::uint64_t count, std::uint64_t seed);

}  // namespace skde
