#include "bandwidth/tail_pairs.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "bandwidth/sample_choice.hpp"
#include "engines/cpu/ranges/round_space.hpp"

namespace skde {
namespace {

/// Returns a box that only few of the samples lie outside, at either end of an axis.
Box box_of_most(const SamplesView& samples, const RoundSpace& space) {
  constexpr std::uint64_t kSome = 1000000, kSeed = 1;
  constexpr double kFew = 2000, kMostShare = 2e-4;
  const Samples some = choose_samples(samples, kSome, kSeed);
  const double share = std::min(kMostShare, kFew / static_cast<double>(samples.size()));
  const auto out = static_cast<std::ptrdiff_t>(share * static_cast<double>(some.size()));
  Box box;
  std::vector<double> along(some.size());
  for (int a = 0; a < 3; ++a) {
    for (std::size_t i = 0; i < some.size(); ++i) along[i] = space(some.view().point(i))[a];
    const auto low = along.begin() + out, high = along.end() - 1 - out;
    std::nth_element(along.begin(), low, along.end());
    box.lower[a] = *low;
    std::nth_element(along.begin(), high, along.end());
    box.upper[a] = *high;
  }
  return box;
}

void append(Samples& to, const SamplesView& from, std::size_t i) {
  const Vec3 at = from.point(i);
  to.xyz.insert(to.xyz.end(), {at.x, at.y, at.z});
  if (from.weighted()) to.weights.push_back(from.weight(i));
}

}  // namespace

std::unique_ptr<const TailPairs> TailPairs::of(const ScoredSamples& cloud, double reach) {
  constexpr std::size_t kWorth = 20, kMost = 500000;  // share 1 / kWorth, and number
  const SamplesView& samples = cloud.samples;
  const RoundSpace space(cloud.S, samples.point(0));
  const Box box = box_of_most(samples, space);
  Box inner = box;
  for (int a = 0; a < 3; ++a) {
    inner.lower[a] += reach;
    inner.upper[a] -= reach;
  }
  std::unique_ptr<TailPairs> tails(new TailPairs(box));
  const std::size_t most = std::min(kMost, samples.size() / kWorth);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Vec3 u = space(samples.point(i));
    if (inner.holds(u)) continue;
    append(tails->outer_, samples, i);
    if (box.holds(u)) append(tails->shell_, samples, i);
    if (tails->outer_.size() > most) return nullptr;
  }
  return tails;
}

}  // namespace skde
