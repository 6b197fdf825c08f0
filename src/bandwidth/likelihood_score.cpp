
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "bandwidth/cross_validation.hpp"
#include "core/report/thread_room.hpp"
#include "engines/cpu/kernel_points.hpp"
#include "engines/cpu/ranges/log_sums.hpp"
#include "engines/cpu/ranges/round_space.hpp"

#if SKDE_HAS_FFTW
#include "engines/cpu/spectral/spectral_points.hpp"
#endif

namespace skde {
namespace {

/// Returns the samples with weight, sorted so that neighbours are together.
Samples in_order(const ScoredSamples& cloud) {
  const SamplesView& from = cloud.samples;
  const KernelSpace space({KernelFunction::uniform, cloud.S}, false, from.point(0));
  const KernelPoints order(space, from.xyz, KernelPoints::Order::octants,
                           thread_count(cloud.threads));
  Samples to;
  to.xyz.reserve(3 * from.size());
  if (from.weighted()) to.weights.reserve(from.size());
  for (std::size_t at = 0; at < from.size(); ++at) {
    const std::size_t i = order.index(at);
    if (from.weight(i) > 0) append_samples(to, from.slice(i, 1));
  }
  return to;
}

class LikelihoodScore final : public BandwidthScore {
 public:
  explicit LikelihoodScore(const ScoredSamples& cloud)
      : cloud_(cloud),
        samples_(in_order(cloud)),
        volume_(RoundSpace(cloud.S, {}).volume()),
        threads_(thread_count(cloud.threads)) {
    cloud_.samples = samples_.view();
    total_ = cloud_.samples.total_weight();
  }

  double at(double h, Progress& progress) override {
    const std::vector<double>& logs = log_sums(h, progress);
    const double height = log_height(h);
    double score = 0;
    for (std::size_t i = 0; i < logs.size(); ++i) {
      const double w = cloud_.samples.weight(i);
      score -= w * (logs[i] + height - std::log(total_ - w));
    }
    return score / total_;
  }

  LonelySamples lonely_samples(double h, Progress& progress) override {
    constexpr std::size_t kEnough = 5000;
    const double narrower = h / LonelySamples::kNarrower;
    const std::vector<double>& logs = log_sums(h, progress);
    const double mean = std::log(total_ / static_cast<double>(logs.size()));
    // exp(-q / 2) of the nearest other sample is about the whole sum.
    const double lonely = mean - 0.5 * LonelySamples::kDeviations * LonelySamples::kDeviations;
    LonelySamples found;
    found.count = static_cast<std::uint64_t>(
        std::ranges::count_if(logs, [&](double log) { return log < lonely; }));
    if (found.count == 0) return found;
    std::vector<std::size_t> others;  // evenly drawn, as samples are in order
    for (std::size_t i = 0; i < logs.size(); i += 1 + logs.size() / kEnough)
      if (logs[i] >= lonely) others.push_back(i);
    std::vector<double> nearer(logs.size());
    sum_others(narrower, others, nearer, progress);
    double gain = 0;  // of the likelihood of the other samples
    for (const std::size_t i : others)
      gain +=
          cloud_.samples.weight(i) * (nearer[i] + log_height(narrower) - logs[i] - log_height(h));
    found.decide = gain > 0;
    return found;
  }

 private:
  double log_height(double h) const {
    return std::log(KernelFunction::gaussian->constant / (h * h * h * volume_));
  }

  /// Returns log sum_j w_j exp(-q_ij / 2) for every sample i over all others.
  const std::vector<double>& log_sums(double h, Progress& progress) {
    if (h == known_h_) return known_;
    known_h_ = 0;
    std::vector<double>& sums = known_ = spectral_sums(h, progress);
    std::vector<std::size_t> unsure;
    // Errors of transforms are shares of the heaviest kernel.
    double heaviest = 1;
    if (cloud_.samples.weighted()) heaviest = *std::ranges::max_element(samples_.weights);
    const double sure = heaviest;
    for (std::size_t i = 0; i < samples_.size(); ++i)
      if (sums.empty() || !(sums[i] > sure)) unsure.push_back(i);
    sums.resize(samples_.size());
    for (double& sum : sums) sum = std::log(sum);
    sum_others(h, unsure, sums, progress);
    known_h_ = h;
    return known_;
  }

  /// Computes the logarithms of the sums at some samples, over all others, however far.
  void sum_others(double h, std::span<const std::size_t> some, std::vector<double>& logs,
                  Progress& progress) {
    if (some.empty()) return;
    if (!pairs_)
      pairs_.emplace(Kernel{KernelFunction::gaussian, cloud_.S}, cloud_.samples, threads_);
    pairs_->widen(h / std::exchange(pairs_h_, h));
    std::vector<std::size_t> numbers(samples_.size());
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    std::vector<double> places;
    for (const std::size_t i : some)
      places.insert(places.end(), &samples_.xyz[3 * i], &samples_.xyz[3 * i] + 3);
    const LogSums found = pairs_->at(places, {numbers, some}, {}, 0, progress, "leave one out");
    for (std::size_t n = 0; n < some.size(); ++n) logs[some[n]] = found.logs[n] - log_height(1);
  }

  /// Returns the sums of many samples by transforms, without each sample's own term. Empty if
  /// summing pairs is faster or memory does not suffice.
  std::vector<double> spectral_sums(double h, Progress& progress);

  ScoredSamples cloud_;
  Samples samples_;
  double volume_;
  int threads_;
  double total_ = 0;
  double known_h_ = 0;  ///< of the sums that are known
  std::vector<double> known_;
  std::optional<KernelLogs> pairs_;
  double pairs_h_ = 1;  ///< of these
#if SKDE_HAS_FFTW
  std::unique_ptr<GaussianSums> sums_;
#endif
};

#if SKDE_HAS_FFTW
std::vector<double> LikelihoodScore::spectral_sums(double h, Progress& progress) {
  constexpr std::size_t kFew = 4000;  // up to here, pairs are faster
  const SamplesView& samples = cloud_.samples;
  if (samples.size() <= kFew) return {};
  if (!sums_ || !sums_->serves(h)) {
    // A narrow range has one transform; in a wide one, the nodes of its finest h would take longer.
    constexpr double kNarrow = 1.5, kRoom = 1.1;
    const bool is_narrow = cloud_.finest > 0 && cloud_.widest <= kNarrow * cloud_.finest;
    sums_.reset();
    for (const double finest : {is_narrow ? std::min(h, cloud_.finest) / kRoom : h, h})
      if (!sums_)
        sums_ =
            GaussianSums::of(samples, cloud_.S, finest, std::max(h, is_narrow ? cloud_.widest : h),
                             cloud_.most_bytes, threads_, progress);
  }
  if (!sums_) return {};
  std::vector<double> found = sums_->at(h, samples.size(), progress);
  for (std::size_t i = 0; i < found.size(); ++i) found[i] -= samples.weight(i);
  return found;
}
#else
std::vector<double> LikelihoodScore::spectral_sums(double, Progress&) { return {}; }
#endif

}  // namespace

std::unique_ptr<BandwidthScore> likelihood_score(const ScoredSamples& cloud) {
  return std::make_unique<LikelihoodScore>(cloud);
}

}  // namespace skde
