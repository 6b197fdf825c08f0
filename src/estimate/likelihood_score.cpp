
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/thread_room.hpp"
#include "engines/cpu/kernel_points.hpp"
#include "engines/cpu/nearest_other.hpp"
#include "engines/cpu/point_sums.hpp"
#include "engines/cpu/round_space.hpp"
#include "estimate/cross_validation.hpp"

#if SKDE_HAS_FFTW
#include "engines/cpu/spectral_points.hpp"
#endif

namespace skde {
namespace {

/// The samples that have weight, neighbours together.
Samples in_order(const EvidenceCloud& cloud) {
  const SamplesView& from = cloud.samples;
  const KernelSpace space({KernelFunction::uniform, cloud.S}, false, from.point(0));
  const KernelPoints order(space, from.xyz, KernelPoints::Order::octants);
  Samples to;
  to.xyz.reserve(3 * from.size());
  if (from.weighted()) to.weights.reserve(from.size());
  for (std::size_t at = 0; at < from.size(); ++at) {
    const std::size_t i = order.index(at);
    if (!(from.weight(i) > 0)) continue;
    to.xyz.insert(to.xyz.end(), &from.xyz[3 * i], &from.xyz[3 * i] + 3);
    if (from.weighted()) to.weights.push_back(from.weight(i));
  }
  return to;
}

class LikelihoodScore final : public BandwidthScore {
 public:
  explicit LikelihoodScore(const EvidenceCloud& cloud)
      : cloud_(cloud),
        samples_(in_order(cloud)),
        space_(cloud.S, samples_.view().point(0)),
        threads_(thread_count(cloud.threads)) {
    cloud_.samples = samples_.view();
    for (std::size_t i = 0; i < samples_.size(); ++i) total_ += cloud_.samples.weight(i);
  }

  double infinite_up_to(Progress& progress) override {
    if (!cloud_.kernel->is_bounded()) return 0;
    if (least_h_ < 0)
      least_h_ = furthest_nearest(cloud_.samples, cloud_.S, cloud_.reference, threads_, progress);
    return least_h_;
  }

  double at(double h, Progress& progress) override {
    if (h <= infinite_up_to(progress)) return std::numeric_limits<double>::infinity();
    std::vector<double> logs = log_sums(h, progress);
    const double scale = cloud_.kernel->constant / (h * h * h * space_.volume());
    double score = 0;
    for (std::size_t i = 0; i < logs.size(); ++i) {
      const double w = cloud_.samples.weight(i);
      score -= w * (logs[i] + std::log(scale / (total_ - w)));
    }
    return score / total_;
  }

 private:
  // exp(-32), 1.3e-14 of the height, and 5e-32.
  static constexpr double kReach = 8, kFarReach = 12;

  Kernel kernel_of(double h, double reach) const {
    Kernel kernel{cloud_.kernel, (h * h) * cloud_.S};
    if (!cloud_.kernel->is_bounded()) kernel.tolerance = 2 * cloud_.kernel->cut_error(reach);
    return kernel;
  }

  /// log sum_j w_j profile(q_ij) of every sample i over all others.
  std::vector<double> log_sums(double h, Progress& progress) const {
    std::vector<double> sums = spectral_sums(h, progress);
    // What others beyond a Gaussian's reach may add, as a share of what is there.
    constexpr double kShare = 1e-8;
    double open = total_ * std::exp(-0.5 * kFarReach * kFarReach) / kShare;
    if (sums.empty()) {
      const Kernel kernel = kernel_of(h, kReach);
      open = total_ * std::exp(-0.5 * kReach * kReach) / kShare;
      sums = leave_one_out_sums(kernel, cloud_.samples, threads_, progress);
      for (double& sum : sums) sum /= kernel.amplitude();
    }
    if (cloud_.kernel->is_bounded()) open = 0;
    // A sum that was taken together with a sample's own kernel has lost the digits below this.
    constexpr double kOfOwn = 1e-6;
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads_)
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] = sums[i] > std::max(open, kOfOwn * cloud_.samples.weight(i)) ? std::log(sums[i])
                                                                            : log_of_others(i, h);
    return sums;
  }

  /// Of Gaussians by transforms, and by pairs where those of the others are not well above the
  /// error; nothing where pairs are sooner summed, or memory does not suffice.
  std::vector<double> spectral_sums(double h, Progress& progress) const;

  /// Over all others, however far.
  double log_of_others(std::size_t i, double h) const {
    const SamplesView& samples = cloud_.samples;
    const Vec3 own = space_(samples.point(i));
    const auto for_others = [&](const auto& body) {
      for (std::size_t j = 0; j < samples.size(); ++j) {
        const Vec3 d = space_(samples.point(j)) - own;
        if (j != i) body((d.x * d.x + d.y * d.y + d.z * d.z) / (h * h), samples.weight(j));
      }
    };
    double nearest = 0, sum = 0;
    if (!cloud_.kernel->is_bounded()) {
      nearest = std::numeric_limits<double>::infinity();
      for_others([&](double q, double) { nearest = std::min(nearest, q); });
    }
    for_others([&](double q, double w) { sum += w * cloud_.kernel->profile(q - nearest); });
    return std::log(sum) - 0.5 * nearest;
  }

  EvidenceCloud cloud_;
  Samples samples_;
  RoundSpace space_;
  int threads_;
  double total_ = 0, least_h_ = -1;
};

#if SKDE_HAS_FFTW
std::vector<double> LikelihoodScore::spectral_sums(double h, Progress& progress) const {
  constexpr std::size_t kFew = 4000;  // whose pairs are soon summed
  const SamplesView& samples = cloud_.samples;
  if (cloud_.kernel != KernelFunction::gaussian || samples.size() <= kFew) return {};
  auto found = gaussian_sums(samples, cloud_.S, h, cloud_.most_bytes, threads_, progress);
  if (!found) return {};
  std::vector<double>& sums = *found;
  double heaviest = 1;
  if (samples.weighted()) heaviest = *std::ranges::max_element(samples.weights);
  const double sure = 2 * heaviest;
  std::vector<std::size_t> unsure;
  std::vector<double> places;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i] -= samples.weight(i);
    if (sums[i] > sure) continue;
    unsure.push_back(i);
    places.insert(places.end(), &samples.xyz[3 * i], &samples.xyz[3 * i] + 3);
  }
  const Kernel kernel = kernel_of(h, kFarReach);
  const std::vector<double> exact = sums_at(places, kernel, samples, threads_, progress);
  for (std::size_t n = 0; n < unsure.size(); ++n)
    sums[unsure[n]] = exact[n] / kernel.amplitude() - samples.weight(unsure[n]);
  return std::move(sums);
}
#else
std::vector<double> LikelihoodScore::spectral_sums(double, Progress&) const { return {}; }
#endif

}  // namespace

std::unique_ptr<BandwidthScore> likelihood_score(const EvidenceCloud& cloud) {
  return std::make_unique<LikelihoodScore>(cloud);
}

}  // namespace skde
