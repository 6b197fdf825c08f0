#include "engines/cpu/ranges/pair_bins.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

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

}  // namespace

std::vector<double> rounded_places(const SamplesView& samples, const Symmetric3& S, double reach,
                                   int threads) {
  constexpr double kRound = 0x1.8p20;  // near which doubles are 2^-32 apart
  const KernelSpace space({KernelFunction::uniform, (reach * reach) * S}, false, samples.point(0));
  std::vector<double> places(samples.xyz.size());
#pragma omp parallel for schedule(static) num_threads(thread_count(threads))
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Vec3 u = space(&samples.xyz[3 * i]);
    for (int a = 0; a < 3; ++a)
      places[3 * i + static_cast<std::size_t>(a)] = (u[a] + kRound) - kRound;
  }
  return places;
}

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
  threads = thread_count(threads);
  const KernelSpace unit({KernelFunction::uniform, {1, 0, 0, 1, 0, 1}}, false, {});
  const KernelPoints points(unit, rounded_places(samples, S, reach, threads),
                            KernelPoints::Order::octants, threads);
  PairWork work{points, points, PairShape::ball, PairTerm::distances, KernelFunction::uniform,
                kBins};
  const double first_weight = samples.weight(0);
  double scale = first_weight * first_weight;
  if (samples.equally_weighted()) {
    work.channels.emplace_back(samples.size(), 1.0);
    left_out_factor_ = 1 / (total - first_weight);
  } else {
    work.term = PairTerm::weighted_distances;
    scale = fill_channels(work, samples, total);
    left_out_factor_ = 1 / total;
  }
  const BoxTree tree(points);
  const std::vector<SampleRange> blocks = points.blocks(kBinnedTargets, kLongestBinned);
  // A fixed number of groups, whose sums are added in order. Each takes neighbours from everywhere,
  // as the blocks of a crowd take longer.
  constexpr std::size_t kTogether = 64;
  const std::size_t groups = std::min<std::size_t>(64, (blocks.size() + kTogether - 1) / kTogether);
  const std::size_t numbers = (work.term == PairTerm::distances ? 2 : 4) * kBins;
  std::vector<std::vector<double>> found(groups);
  SharedProgress shared(progress, "pairs", samples.size(), "samples");
  std::atomic<bool> stopped = false;
  FirstFailure failure;
  const auto sum_group = [&](std::size_t group) {
    BlockSums<double> others(work), own(work);
    std::vector<SampleRange> near;
    for (std::size_t b = group * kTogether; b < blocks.size();
         b += b % kTogether == kTogether - 1 ? 1 + (groups - 1) * kTogether : 1) {
      tree.ranges_near(points.box_of(blocks[b]), 1, near, blocks[b].last);
      if (!near.empty()) near.front().first = std::max(near.front().first, blocks[b].last);
      others.sum(blocks[b], near);
      own.sum(blocks[b], {&blocks[b], 1});
      if (stopped || !shared.advance(blocks[b].size())) stopped = true;
      if (stopped) return;
    }
    // A pair of two blocks is met once, one of a block twice.
    const double *const later = others.binned(), *const inside = own.binned();
    found[group].resize(numbers);
    for (std::size_t n = 0; n < numbers; ++n) found[group][n] = 2 * later[n] + inside[n];
  };
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
  for (std::size_t group = 0; group < groups; ++group) failure.keep([&] { sum_group(group); });
  failure.rethrow();
  shared.finish();
  bins_.resize(numbers);
  for (const std::vector<double>& sums : found)
    for (std::size_t n = 0; n < numbers; ++n) bins_[n] += sums[n];
  for (double& sum : bins_) sum *= scale;
}

}  // namespace skde
