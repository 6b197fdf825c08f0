#include "engines/cpu/ranges/pair_shifts.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "core/kernel/exponential.hpp"
#include "core/report/thread_room.hpp"
#include "engines/cpu/shared_progress.hpp"
#include "engines/cpu/tile/block_sums.hpp"

namespace skde {
namespace {

constexpr double kLongestReach = 12.6;  // deviations; exp_of_negative() is exact up to there
/// Sums below this share of the heaviest kernel count as nothing. What lies beyond all reach is
/// less than 1e-12 of it a source.
constexpr double kNothing = 2e-22;
/// Float sums hold 5 digits of a shift if they are this share of the heaviest kernel.
constexpr double kFloatShare = 0.02, kFloatError = 3e-6;
constexpr double kLongestShiftBlock = 2;  // deviations

/// Returns the weights in the order of `sorted`, as shares of the heaviest.
std::vector<double> shares_of(const SamplesView& samples, const KernelPoints& sorted) {
  double heaviest = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) heaviest = std::max(heaviest, samples.weight(i));
  std::vector<double> shares(samples.size(), 0.0);
  for (std::size_t at = 0; at < shares.size() && heaviest > 0; ++at)
    shares[at] = samples.weight(sorted.index(at)) / heaviest;
  return shares;
}

/// Bounds on the sums of w exp(-d^2 / 2) and of w d exp(-d^2 / 2) over what is left out.
PairShifts::Far bound_of(const FarWeights& far, double reach) {
  PairShifts::Far bound;
  for (std::size_t bin = 0; bin < FarWeights::kBins; ++bin) {
    if (!(far.weights[bin] > 0)) continue;
    const double squared = std::max(static_cast<double>(bin), reach * reach);
    const double kernels = far.weights[bin] * exp_of_negative(-0.5 * squared);
    bound.kernels += kernels;
    bound.moments += std::sqrt(squared) * kernels;
  }
  return bound;
}

double length(Vec3 v) { return std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z); }

}  // namespace

bool PairShifts::Sums::suffice(double error) const {
  if (!(far.kernels > 0)) return true;
  return length(shift()) * far.kernels + far.moments <= error * kernels;
}

Vec3 PairShifts::Sums::shift() const { return kernels > 0 ? (1 / kernels) * moments : Vec3{}; }

double PairShifts::first_reach(double error) {
  constexpr double kCrowd = 3000;  // what a crowd leaves out is about this times the Gaussian there
  return std::clamp(std::sqrt(2 * std::log(kCrowd / error)), 3.0, kLongestReach);
}

PairShifts::PairShifts(const Symmetric3& H, const SamplesView& sources, int threads)
    : space_({KernelFunction::uniform, H}, false, sources.point(0)),
      sources_(space_, sources, KernelPoints::Order::octants),
      tree_(sources_),
      weights_(shares_of(sources, sources_)),
      box_weights_(tree_.sum_weights(weights_)),
      threads_(thread_count(threads)),
      chooses_threads_(threads <= 0) {}

double PairShifts::work(std::span<const double> targets, double error) const {
  constexpr std::size_t kSome = 1024;
  const std::size_t count = targets.size() / 3, step = count / kSome + 1;
  std::vector<SampleRange> near;
  double pairs = 0, seen = 0;
  for (std::size_t i = 0; i < count; i += step, ++seen) {
    const Vec3 at = space_(&targets[3 * i]);
    tree_.ranges_near({at, at}, first_reach(error), near);
    for (const SampleRange& range : near) pairs += static_cast<double>(range.size());
  }
  return seen > 0 ? pairs / seen * static_cast<double>(count) : 0;
}

std::vector<double> PairShifts::at(std::span<const double> targets, double error,
                                   Progress& progress) const {
  std::vector<double> shifts(targets.size(), 0.0);
  std::vector<std::size_t> unsure(targets.size() / 3);
  std::iota(unsure.begin(), unsure.end(), std::size_t{0});
  if (error >= kFloatError) unsure = pass<float>(targets, unsure, error, shifts, progress);
  pass<double>(targets, unsure, error, shifts, progress);
  return shifts;
}

template <class Real>
std::vector<std::size_t> PairShifts::pass(std::span<const double> targets,
                                          std::vector<std::size_t> waiting, double error,
                                          std::span<double> shifts, Progress& progress) const {
  constexpr double kFarther = 1.3;
  constexpr double kLeast = sizeof(Real) == sizeof(float) ? kFloatShare : 0;
  std::vector<std::size_t> without_digits;
  for (double reach = first_reach(error); !waiting.empty();
       reach = std::min(kFarther * reach, kLongestReach)) {
    std::vector<double> places;
    places.reserve(3 * waiting.size());
    for (const std::size_t i : waiting)
      places.insert(places.end(), &targets[3 * i], &targets[3 * i] + 3);
    const KernelPoints points(space_, places, KernelPoints::Order::octants);
    std::vector<Sums> sums(points.size());
    sum_blocks<Real>(points, reach, sums, progress);
    std::vector<std::size_t> again;
    for (std::size_t n = 0; n < waiting.size(); ++n) {
      const std::size_t i = waiting[n];
      if (reach < kLongestReach && !sums[n].suffice(error))
        again.push_back(i);
      else if (sums[n].kernels < kLeast)
        without_digits.push_back(i);
      else if (sums[n].kernels > kNothing)
        put_point(shifts, i, space_.world_difference(sums[n].shift()));
    }
    waiting = std::move(again);
  }
  return without_digits;
}

template <class Real>
void PairShifts::sum_blocks(const KernelPoints& targets, double reach, std::span<Sums> sums,
                            Progress& progress) const {
  PairWork work{targets, sources_, PairShape::ball, PairTerm::shift, KernelFunction::gaussian};
  work.reach = reach;
  work.channels.push_back(weights_);
  const std::vector<SampleRange> blocks =
      targets.blocks(PairTargets<Real>::kMost, kLongestShiftBlock);
  constexpr double kSecondsAPair = 1e-9;
  const double pairs = static_cast<double>(targets.size()) * static_cast<double>(sources_.size());
  const int threads = chooses_threads_ ? threads_worth(kSecondsAPair * pairs, threads_) : threads_;
  SharedProgress shared(progress, "shift", targets.size(), "points");
  std::atomic<bool> stopped = false;
  FirstFailure failure;
#pragma omp parallel num_threads(threads)
  {
    std::optional<BlockSums<Real>> block_sums;
    std::vector<SampleRange> near;
    failure.keep([&] { block_sums.emplace(work); });
    if (!block_sums) stopped = true;
#pragma omp for schedule(dynamic, 1)
    for (const SampleRange& block : blocks) {
      if (stopped) continue;
      failure.keep([&] {
        FarWeights far_weights;
        tree_.ranges_near(targets.box_of(block), reach, box_weights_, near, far_weights);
        double culled = 0;
        const double* found = block_sums->sum(block, near, culled);
        far_weights.add(reach * reach, culled);
        const Far far = bound_of(far_weights, reach);
        for (std::size_t at = block.first; at < block.last; ++at, found += 4)
          sums[targets.index(at)] = {found[0], {-found[1], -found[2], -found[3]}, far};
      });
      if (failure.any() || !shared.advance(block.size())) stopped = true;
    }
  }
  failure.rethrow();
  shared.finish();
}

}  // namespace skde
