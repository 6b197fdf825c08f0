#include "bandwidth/pair_source.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "bandwidth/sample_choice.hpp"
#include "core/kernel/kernel_profiles.hpp"
#include "core/report/error.hpp"
#include "engines/cpu/ranges/round_space.hpp"
#include "engines/registry/pair_pass.hpp"

namespace skde {
namespace {

/// Throws if there are many samples: their pairs would take hours, and a spectrum does not fit into
/// memory.
void require_pairs_in_time(const ScoredSamples& cloud, double deviation) {
  constexpr std::size_t kMany = 5000000;
  if (cloud.samples.size() < kMany) return;
  throw Error(ErrorKind::resources,
              fmt::format("a transform of the samples for h = {:.3g} does not fit into {}, and "
                          "there are too many pairs for direct sums",
                          deviation, format_bytes(cloud.most_bytes)),
              {"memory_limit", "raise `memory_limit`, or score by fewer samples with `subsample`"});
}

}  // namespace

PairSource::PairSource(const ScoredSamples& cloud) : cloud_(cloud) {
  const SamplesView& samples = cloud_.samples;
  volume_ = RoundSpace(cloud_.S, {}).volume();
  weight_ = samples.total_weight();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double w = samples.weight(i);
    squares_left_out_ += w * w / (weight_ - w);
  }
}

#if SKDE_HAS_FFTW
bool PairSource::has_spectrum(double deviation, Progress& progress) {
  constexpr std::size_t kFew = 4000;  // up to here, pairs are faster
  if (cloud_.samples.size() <= kFew) return false;
  if (power_ && deviation >= finest_ && deviation <= widest_) return true;
  if (deviation <= too_fine_) return false;
  // Leaves some room for the next request.
  constexpr double kRoom = 1.25;
  double roomy = deviation / kRoom;
  if (!power_ && cloud_.finest > 0) roomy = std::min(deviation, cloud_.finest);
  widest_ = std::max({widest_, cloud_.widest, deviation * kRoom});
  power_.reset();
  tails_.reset();
  // Beyond this, 1e-9 of a Gaussian's convolution is left, and less of what laplacian() sums.
  constexpr double kReach = 9.5, kLaplacianReach = 12;
  tails_ = TailPairs::of(cloud_, (cloud_.finest > 0 ? kReach : kLaplacianReach) * widest_);
  const std::optional<Box> box = tails_ ? std::optional(tails_->box()) : std::nullopt;
  for (const double finest : {roomy, deviation}) {
    finest_ = finest;
    power_ = SpectralPower::of(cloud_.samples, cloud_.S, {finest_, widest_, cloud_.most_bytes, box},
                               cloud_.threads, progress);
    if (power_) return true;
  }
  require_pairs_in_time(cloud_, deviation);
  too_fine_ = std::max(too_fine_, deviation);
  finest_ = widest_ = 0;
  return false;
}
#else
bool PairSource::has_spectrum(double, Progress&) { return false; }
#endif

PairBins PairSource::bins_of(const SamplesView& samples, double reach, Progress& progress) const {
  return pair_pass(samples, cloud_.S, reach, weight_, cloud_.threads,
                   {cloud_.gpu, cloud_.gpu_starts}, progress);
}

const PairBins& PairSource::bins(double reach, double widest, Progress& progress) {
  constexpr double kFiner = 2, kRoom = 1.1;  // of the reach: the bins must be fine for it
  if (bins_ && reach <= bins_->reach() && kFiner * reach >= bins_->reach()) return *bins_;
  const bool is_widest = reach <= widest && kFiner * reach >= widest;
  bins_.emplace(bins_of(cloud_.samples, is_widest ? widest : kRoom * reach, progress));
  return *bins_;
}

PairSource::Sums PairSource::sums_of(const PairBins& bins, double h) const {
  const KernelRow& row = cloud_.kernel.row();
  const auto kernel = [&](double r) { return row.profile(r * r / (h * h)); };
  return {bins.products([&](double r) { return row.convolution(r * r / (h * h)); }),
          row.constant * bins.left_out(kernel, row.is_bounded())};
}

PairTerms PairSource::terms(double h, Progress& progress) {
  const double cube = h * h * h;
  const double reach =
      cloud_.kernel->is_bounded() ? 2 : 12;  // there a Gaussian's convolution is 2.3e-16
  const auto of_all = [&] { return sums_of(bins(reach * h, reach * cloud_.widest, progress), h); };
  Sums sums;
#if SKDE_HAS_FFTW
  if (cloud_.kernel == KernelFunction::gaussian && has_spectrum(h, progress)) {
    if (tails_)
      sums = tails_->sum(
          [&](const SamplesView& some) { return sums_of(bins_of(some, reach * h, progress), h); });
    sums.convolved += cube * power_->pairs([h](double k2) { return std::exp(-h * h * k2); });
    sums.kernel +=
        cube * power_->left_out_pairs([h](double k2) { return std::exp(-h * h * k2 / 2); });
  } else {
    sums = of_all();
  }
#else
  sums = of_all();
#endif
  const double left_out = sums.kernel - cloud_.kernel->constant * squares_left_out_;
  return {sums.convolved / (cube * volume_ * weight_ * weight_),
          left_out / (cube * volume_ * weight_)};
}

/// Powers of the Laplacian of exp(-q / 2) in 3 dimensions are polynomials of q times exp(-q / 2).
/// The sign makes the value at q = 0 positive for either power.
double PairSource::laplacian_of(const SamplesView& samples, int s, double g,
                                Progress& progress) const {
  constexpr double kReach = 10;
  const double sum = bins_of(samples, kReach * g, progress).products([&](double r) {
    const double q = r * r / (g * g);
    const double factor = s == 2 ? (q - 10) * q + 15 : 105 - ((q - 21) * q + 105) * q;
    return factor * std::exp(-q / 2);
  });
  return GaussianProfile::kConstant * sum / std::pow(g, 3 + 2 * s);
}

double PairSource::laplacian(int s, double g, Progress& progress) {
  double sum = 0;
#if SKDE_HAS_FFTW
  constexpr double kSteeper = 1.5;  // powers of the frequency amplify what the nodes are too coarse
                                    // for
  if (has_spectrum(g / kSteeper, progress)) {
    if (tails_)
      sum =
          tails_->sum([&](const SamplesView& some) { return laplacian_of(some, s, g, progress); });
    sum +=
        power_->pairs([s, g](double k2) { return std::pow(k2, s) * std::exp(-0.5 * g * g * k2); });
  } else {
    sum = laplacian_of(cloud_.samples, s, g, progress);
  }
#else
  sum = laplacian_of(cloud_.samples, s, g, progress);
#endif
  return sum / (weight_ * weight_);
}

namespace {

/// Returns a box that only few of the samples lie outside, at either end of an axis.
Box box_of_most(const SamplesView& samples, const RoundSpace& space) {
  constexpr std::uint64_t kSome = 100000, kSeed = 1;
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
    append_samples(tails->outer_, samples.slice(i, 1));
    if (box.holds(u)) append_samples(tails->shell_, samples.slice(i, 1));
    if (tails->outer_.size() > most) return nullptr;
  }
  return tails;
}

}  // namespace skde
