#include "estimate/cross_validation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/kernel_profiles.hpp"
#include "engines/cpu/cloud_pairs.hpp"
#include "estimate/pair_source.hpp"

namespace skde {
namespace {

class LikelihoodScore final : public BandwidthScore {
 public:
  explicit LikelihoodScore(const EvidenceCloud& cloud)
      : kernel_(cloud.kernel), pairs_(cloud.samples, cloud.S, cloud.threads) {}

  double at(double h, Progress& progress) override {
    std::vector<double> sums = pairs_.kernels(kernel_, h, progress);
    const double total = pairs_.total_weight();
    const double scale = 1 / (h * h * h * pairs_.volume());
    // Below this the part of a Gaussian that was cut may count.
    const double open = kernel_->is_bounded() ? 0 : kOpenShare * total * kernel_->constant;
    const auto count = static_cast<std::ptrdiff_t>(sums.size());
#pragma omp parallel for schedule(dynamic, 64) num_threads(pairs_.threads())
    for (std::ptrdiff_t at = 0; at < count; ++at) {
      const auto i = static_cast<std::size_t>(at);
      const double log_sum = sums[i] > open || kernel_->is_bounded()
                                 ? std::log(sums[i])
                                 : std::log(kernel_->constant) + pairs_.log_gaussians(i, h);
      const double others = total - pairs_.weight(i);
      sums[i] = -pairs_.weight(i) * (log_sum + std::log(scale / others));
    }
    double score = 0;
    for (const double term : sums) score += term;
    return score / total;
  }

 private:
  static constexpr double kOpenShare = 1.3e-14 / 1e-7;

  KernelFunction kernel_;
  CloudPairs pairs_;
};

class LeastSquaresScore final : public BandwidthScore {
 public:
  explicit LeastSquaresScore(const EvidenceCloud& cloud) : source_(cloud) {}

  double at(double h, Progress& progress) override {
    const PairTerms terms = source_.terms(h, progress);
    return terms.convolution - 2 * terms.left_out;
  }

 private:
  PairSource source_;
};

}  // namespace

std::unique_ptr<BandwidthScore> likelihood_score(const EvidenceCloud& cloud) {
  return std::make_unique<LikelihoodScore>(cloud);
}

std::unique_ptr<BandwidthScore> least_squares_score(const EvidenceCloud& cloud) {
  return std::make_unique<LeastSquaresScore>(cloud);
}

RepeatedSamples repeated_samples(const EvidenceCloud& cloud, Progress& progress) {
  const CloudPairs pairs(cloud.samples, cloud.S, cloud.threads);
  const std::vector<double> repeated = pairs.weights_at_own_place(progress);
  const double total = pairs.total_weight();
  RepeatedSamples result;
  double own = 0, convolved = 0, left_out = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double w = pairs.weight(i);
    if (repeated[i] > 0) result.share += w / total;
    own += w * w;
    convolved += w * (w + repeated[i]);
    left_out += w * repeated[i] / (total - w);
  }
  const double roughness = cloud.kernel->convolution(0);
  result.limit =
      (roughness * convolved - 2 * total * cloud.kernel->constant * left_out) / (roughness * own);
  return result;
}

}  // namespace skde
