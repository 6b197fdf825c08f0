#include "bandwidth/cross_validation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>

#include "bandwidth/pair_source.hpp"
#include "core/report/error.hpp"

namespace skde {
namespace {

class LeastSquaresScore final : public BandwidthScore {
 public:
  explicit LeastSquaresScore(const ScoredSamples& cloud) : source_(cloud) {}

  double at(double h, Progress& progress) override {
    const PairTerms terms = source_.terms(h, progress);
    return terms.convolution - 2 * terms.left_out;
  }

 private:
  PairSource source_;
};

std::array<double, 3> place_of(const SamplesView& samples, std::size_t i) {
  const Vec3 at = samples.point(i);
  return {at.x + 0.0, at.y + 0.0, at.z + 0.0};  // one of both zeros
}

/// Returns the samples with weight whose place has a hash that others have, too: those at the place
/// of another one, and few others.
std::vector<std::size_t> likely_repeated(const SamplesView& samples) {
  const std::size_t bits = std::bit_ceil(16 * samples.size());
  std::vector<bool> once(bits), twice(bits);
  const auto bit_of = [&](std::size_t i) {
    std::uint64_t hash = 0;
    for (const double x : place_of(samples, i)) {
      hash = (hash ^ std::bit_cast<std::uint64_t>(x)) * 0x9e3779b97f4a7c15;
      hash ^= hash >> 32;
    }
    return hash & (bits - 1);
  };
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::size_t bit = bit_of(i);
    if (samples.weight(i) > 0) (once[bit] ? twice : once)[bit] = true;
  }
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (samples.weight(i) > 0 && twice[bit_of(i)]) found.push_back(i);
  return found;
}

}  // namespace

std::unique_ptr<BandwidthScore> least_squares_score(const ScoredSamples& cloud) {
  if (!cloud.kernel->convolution)
    throw Error(ErrorKind::usage,
                fmt::format("skde knows no convolution of the {} kernel with itself, which "
                            "least-squares scores need",
                            cloud.kernel->name),
                {"kernel", "choose another `kernel`"});
  return std::make_unique<LeastSquaresScore>(cloud);
}

RepeatedSamples repeated_samples(const ScoredSamples& cloud) {
  const SamplesView& samples = cloud.samples;
  double total = 0, own = 0, added = 0, left_out = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    total += samples.weight(i);
    own += samples.weight(i) * samples.weight(i);
  }
  const auto place = [&](std::size_t i) { return place_of(samples, i); };
  std::vector<std::size_t> order = likely_repeated(samples);
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
  RepeatedSamples result;
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    double here = 0;
    for (; last < order.size() && place(order[last]) == place(order[first]); ++last)
      here += samples.weight(order[last]);
    for (std::size_t at = first; at < last; ++at) {
      const double w = samples.weight(order[at]);
      if (last - first > 1) result.share += w / total;
      added += w * (here - w);
      left_out += w * (here - w) / (total - w);
    }
  }
  const double roughness = cloud.kernel->convolution(0);
  result.limit = (roughness * (own + added) - 2 * total * cloud.kernel->constant * left_out) /
                 (roughness * own);
  return result;
}

}  // namespace skde
