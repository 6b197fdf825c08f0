#include "bandwidth/cross_validation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "bandwidth/pair_source.hpp"
#include "core/kernel/kernel_profiles.hpp"
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
  double total = 0;
  std::vector<std::size_t> order;
  order.reserve(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    total += samples.weight(i);
    if (samples.weight(i) > 0) order.push_back(i);
  }
  const auto place = [&](std::size_t i) {
    const Vec3 at = samples.point(i);
    return std::array{at.x, at.y, at.z};
  };
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
  RepeatedSamples result;
  double own = 0, convolved = 0, left_out = 0;
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    double here = 0;
    for (; last < order.size() && place(order[last]) == place(order[first]); ++last)
      here += samples.weight(order[last]);
    for (std::size_t at = first; at < last; ++at) {
      const double w = samples.weight(order[at]);
      if (last - first > 1) result.share += w / total;
      own += w * w;
      convolved += w * here;
      left_out += w * (here - w) / (total - w);
    }
  }
  const double roughness = cloud.kernel->convolution(0);
  result.limit =
      (roughness * convolved - 2 * total * cloud.kernel->constant * left_out) / (roughness * own);
  return result;
}

}  // namespace skde
