#include "estimate/pair_source.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/kernel_profiles.hpp"
#include "engines/cpu/round_space.hpp"

namespace skde {
namespace {

/// Of a Gaussian's s-th power of the Laplacian at its middle, where its deviation is 1.
double laplacian_at_0(int s) {
  double value = GaussianProfile::kConstant;
  for (int k = 1; k <= s; ++k) value *= 2 * k + 1;
  return value;
}

}  // namespace

PairSource::PairSource(const EvidenceCloud& cloud) : cloud_(cloud) {
  const SamplesView& samples = cloud_.samples;
  volume_ = RoundSpace(cloud_.S, {}).volume();
  for (std::size_t i = 0; i < samples.size(); ++i) weight_ += samples.weight(i);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double w = samples.weight(i);
    squares_ += w * w;
    squares_left_out_ += w * w / (weight_ - w);
  }
}

const CloudPairs& PairSource::pairs() {
  if (!pairs_)
    pairs_ = std::make_unique<const CloudPairs>(cloud_.samples, cloud_.S, cloud_.threads);
  return *pairs_;
}

#if SKDE_HAS_FFTW
bool PairSource::has_spectrum(double deviation, Progress& progress) {
  constexpr std::size_t kFew = 4000;  // whose pairs are soon summed
  if (cloud_.samples.size() <= kFew) return false;
  if (power_ && deviation >= finest_ && deviation <= widest_) return true;
  if (deviation <= too_fine_) return false;
  // With room below and above for the bandwidths that are asked for next.
  constexpr double kBelow = 3.1, kAbove = 1.6, kOnce = 1.3;
  const double first = finest_ > 0 ? finest_ : cloud_.reference / kBelow;
  const double roomy = std::min(first, deviation < finest_ ? deviation / kOnce : deviation);
  widest_ = std::max({widest_, cloud_.reference * kAbove, deviation * kOnce});
  power_.reset();
  for (const double finest : {roomy, deviation}) {
    finest_ = finest;
    power_ = SpectralPower::of(cloud_.samples, cloud_.S, {finest_, widest_, cloud_.most_bytes},
                               cloud_.threads, progress);
    if (power_) return true;
  }
  too_fine_ = std::max(too_fine_, deviation);
  finest_ = widest_ = 0;
  return false;
}
#else
bool PairSource::has_spectrum(double, Progress&) { return false; }
#endif

PairTerms PairSource::terms(double h, Progress& progress) {
  const double cube = h * h * h * volume_;
  const double own = cloud_.kernel->convolution(0) * squares_;
#if SKDE_HAS_FFTW
  if (cloud_.kernel == KernelFunction::gaussian && has_spectrum(h, progress)) {
    const double convolved =
        power_->pairs([h](double square) { return std::exp(-h * h * square); });
    const double all =
        power_->left_out_pairs([h](double square) { return std::exp(-0.5 * h * h * square); });
    const double kernel = all / volume_ - GaussianProfile::kConstant * squares_left_out_ / cube;
    return {convolved / (volume_ * weight_ * weight_), kernel / weight_};
  }
#endif
  const CloudPairs& pairs = this->pairs();
  const CloudPairs::Convolved sums = pairs.convolved(cloud_.kernel, h, progress);
  double convolved = own, left_out = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double w = pairs.weight(i);
    convolved += w * sums.convolution[i];
    left_out += w * sums.kernel[i] / (weight_ - w);
  }
  return {convolved / (cube * weight_ * weight_), left_out / (cube * weight_)};
}

double PairSource::laplacian(int s, double g, Progress& progress) {
#if SKDE_HAS_FFTW
  constexpr double kSteeper = 1.5;  // powers of the frequency raise what nodes are too coarse for
  if (has_spectrum(g / kSteeper, progress))
    return power_->pairs([s, g](double square) {
      return std::pow(square, s) * std::exp(-0.5 * g * g * square);
    }) / (weight_ * weight_);
#endif
  const CloudPairs& pairs = this->pairs();
  const std::vector<double> sums = pairs.laplacians(s, g, progress);
  double sum = laplacian_at_0(s) * squares_;
  for (std::size_t i = 0; i < pairs.size(); ++i) sum += pairs.weight(i) * sums[i];
  return sum / (weight_ * weight_ * std::pow(g, 3 + 2 * s));
}

}  // namespace skde
