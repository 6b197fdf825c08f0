#include "analysis/held_out_samples.hpp"

#include <cmath>

#include "core/cloud/counter_random.hpp"

namespace skde {

SplitSamples hold_out(const SamplesView& samples, double share, std::uint64_t seed) {
  constexpr std::uint64_t kStream = 0x686f6c64;
  const CounterRandom random(seed, kStream);
  SplitSamples split;
  for (std::size_t i = 0; i < samples.size(); ++i)
    append_samples(random.at(i).uniform() < share ? split.held_out : split.kept,
                   samples.slice(i, 1));
  return split;
}

SampledDivergence sampled_divergence(std::span<const double> log_densities,
                                     std::span<const double> log_model,
                                     std::span<const double> weights) {
  SampledDivergence divergence;
  divergence.samples = log_model.size();
  double sum = 0, total = 0;
  for (std::size_t i = 0; i < log_model.size(); ++i) {
    if (!std::isfinite(log_model[i] + log_densities[i])) {
      ++divergence.undefined;
      continue;
    }
    const double weight = weights.empty() ? 1 : weights[i];
    sum += weight * (log_densities[i] - log_model[i]);
    total += weight;
  }
  divergence.value = total > 0 ? sum / total : 0;
  return divergence;
}

}  // namespace skde
