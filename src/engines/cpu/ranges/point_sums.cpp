#include "engines/cpu/ranges/point_sums.hpp"

#include <algorithm>

#include "engines/cpu/ranges/range_reduction.hpp"

namespace skde {
namespace {

/// Returns the weights of all samples; 1 each if they are unweighted.
std::vector<double> weights_of(const SamplesView& samples) {
  if (!samples.weighted()) return std::vector<double>(samples.size(), 1.0);
  return {samples.weights.begin(), samples.weights.end()};
}

}  // namespace

std::vector<double> sums_at(std::span<const double> points, const Kernel& kernel,
                            const SamplesView& samples, int threads, Progress& progress) {
  return RangeReduction(kernel, samples, threads)
      .reduce(points, weights_of(samples), 1, progress, "pilot");
}

void add_sums_at(std::span<const double> points, const Kernel& kernel, const SamplesView& samples,
                 int threads, std::span<double> sums) {
  constexpr std::size_t kBlock = 8;  // points of a block; threads share the blocks
  BlockRanges all;
  for (std::size_t first = 0; first < sums.size(); first += kBlock)
    all.push_back({{first, std::min(first + kBlock, sums.size())}, {{0, samples.size()}}});
  NoProgress silent;
  const std::vector<double> more = RangeReduction(kernel, samples, std::move(all), threads)
                                       .reduce(points, weights_of(samples), 1, silent);
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += more[i];
}

}  // namespace skde
