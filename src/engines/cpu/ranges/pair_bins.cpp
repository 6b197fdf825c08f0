#include "engines/cpu/ranges/pair_bins.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <utility>

#include "core/report/first_failure.hpp"
#include "core/report/thread_room.hpp"
#include "engines/cpu/ranges/box_tree.hpp"
#include "engines/cpu/shared_progress.hpp"
#include "engines/cpu/tile/block_sums.hpp"

namespace skde {
namespace {

constexpr std::size_t kBinnedTargets = 32;  // targets
constexpr double kLongestBinned = 0.5;      // of the reach: a pair is less than twice as far apart

/// Fills the channels of unequal weights. They are divided by the largest, so that floats hold
/// them. Returns the scale of products.
double fill_channels(PairWork& work, const SamplesView& samples, double total) {
  const double most = *std::ranges::max_element(samples.weights);
  work.channels.resize(2);
  for (std::size_t at = 0; at < samples.size(); ++at) {
    const double w = samples.weight(work.sources.index(at));
    work.channels[0].push_back(w / most);
    work.channels[1].push_back(0.5 * total / (total - w));
  }
  return most * most;
}

/// The part of the ranges from `first` on.
void cut_before(std::size_t first, std::vector<SampleRange>& ranges) {
  std::erase_if(ranges, [&](const SampleRange& range) { return range.last <= first; });
  if (!ranges.empty()) ranges.front().first = std::max(ranges.front().first, first);
}

}  // namespace

PairBins PairBins::counted(double reach, double weight, double total, std::vector<double> sums) {
  PairBins bins;
  bins.reach_ = reach;
  bins.left_out_factor_ = 1 / (total - weight);
  bins.bins_ = std::move(sums);
  for (double& sum : bins.bins_) sum *= weight * weight;
  return bins;
}

PairBins::PairBins(const SamplesView& samples, const Symmetric3& S, double reach, double total,
                   int threads, Progress& progress)
    : reach_(reach) {
  bins_.resize(2 * kBins);
  if (samples.size() == 0) return;
  const KernelSpace space({KernelFunction::uniform, (reach * reach) * S}, false, samples.point(0));
  const KernelPoints points(space, samples, KernelPoints::Order::octants);
  PairWork work{points, points, PairShape::ball, PairTerm::distances, KernelFunction::uniform,
                kBins};
  const double first_weight = samples.weight(0);
  double scale = first_weight * first_weight;
  if (std::ranges::adjacent_find(samples.weights, std::not_equal_to<>{}) == samples.weights.end()) {
    work.channels.emplace_back(samples.size(), 1.0);
    left_out_factor_ = 1 / (total - first_weight);
  } else {
    work.term = PairTerm::weighted_distances;
    scale = fill_channels(work, samples, total);
    left_out_factor_ = 1 / total;
  }
  const BoxTree tree(points);
  const std::vector<SampleRange> blocks = points.blocks(kBinnedTargets, kLongestBinned);
  // A fixed number of groups of blocks, whose sums are added in order.
  const std::size_t groups = std::min<std::size_t>(32, blocks.size());
  std::vector<std::vector<double>> found(groups);
  const std::size_t numbers = sums_of(work.term) * kBins;
  SharedProgress shared(progress, "pairs", samples.size(), "samples");
  std::atomic<bool> stopped = false;
  FirstFailure failure;
  const auto sum_group = [&](std::size_t group) {
    BlockSums<float> others(work), own(work);
    const double *later = nullptr, *inside = nullptr;
    std::vector<SampleRange> near;
    for (std::size_t b = group * blocks.size() / groups; b < (group + 1) * blocks.size() / groups;
         ++b) {
      tree.ranges_near(points.box_of(blocks[b]), 1, near);
      cut_before(blocks[b].last, near);
      later = others.sum(blocks[b], near);
      inside = own.sum(blocks[b], {&blocks[b], 1});
      if (stopped || !shared.advance(blocks[b].size())) stopped = true;
      if (stopped) return;
    }
    // A pair of two blocks is met once, one of a block twice.
    found[group].resize(numbers);
    for (std::size_t n = 0; n < numbers; ++n) found[group][n] = scale * (2 * later[n] + inside[n]);
  };
#pragma omp parallel for schedule(dynamic, 1) num_threads(thread_count(threads))
  for (std::size_t group = 0; group < groups; ++group) failure.keep([&] { sum_group(group); });
  failure.rethrow();
  shared.finish();
  bins_.resize(numbers);
  for (const std::vector<double>& sums : found)
    for (std::size_t n = 0; n < numbers; ++n) bins_[n] += sums[n];
}

}  // namespace skde
