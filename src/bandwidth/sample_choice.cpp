#include "bandwidth/sample_choice.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "core/cloud/counter_random.hpp"

namespace skde {

Samples choose_samples(const SamplesView& samples, std::uint64_t count, std::uint64_t seed) {
  const IndexBijection order(samples.size(), seed);
  const std::uint64_t taken = std::min<std::uint64_t>(count, samples.size());
  Samples chosen;
  chosen.xyz.reserve(3 * taken);
  if (samples.weighted()) chosen.weights.reserve(taken);
  for (std::uint64_t place = 0; place < taken; ++place) {
    append_samples(chosen, samples.slice(static_cast<std::size_t>(order(place)), 1));
  }
  return chosen;
}

Samples choose_by_value(const SamplesView& samples, std::uint64_t count, std::uint64_t seed) {
  std::vector<std::pair<std::uint64_t, std::size_t>> order(samples.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Vec3 at = samples.point(i);
    std::uint64_t key = seed;
    for (const double value : {at.x, at.y, at.z, samples.weight(i)})
      key = Draws::mix(key + Draws::kStep) ^ std::bit_cast<std::uint64_t>(value);
    order[i] = {Draws::mix(key), i};
  }
  std::ranges::sort(order);
  std::uint64_t before = 0, copies = 0;
  for (auto& entry : order) {  // copies of a sample are drawn one by one
    copies = entry.first == before ? copies + 1 : 0;
    before = entry.first;
    entry.first = Draws::mix(before + copies * Draws::kStep);
  }
  const std::size_t taken = std::min<std::size_t>(count, order.size());
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(taken));
  order.resize(taken);
  Samples chosen;
  for (const auto& entry : order) append_samples(chosen, samples.slice(entry.second, 1));
  return chosen;
}

ChosenSamples chosen_samples(Samples chosen, const Moments& moments,
                             const BandwidthSpec& bandwidth) {
  ChosenSamples scoring{std::move(chosen), {}, moments, bandwidth, 1};
  scoring.samples = scoring.own.view();
  if (scoring.samples.size() == moments.count()) return scoring;
  scoring.moments = compute_moments(scoring.samples);
  // Their h is applied to the covariance of all samples, in the form that is asked for. A length
  // needs none, and a flat cloud has none that is given.
  if (bandwidth.form != CovarianceForm::iso) {
    const double added = bandwidth.regularize * moments.covariance().trace() / 3;
    scoring.bandwidth.covariance =
        spread_of(moments, bandwidth) + Symmetric3::diagonal(added, added, added);
    scoring.bandwidth.regularize = 0;
  }
  if (bandwidth.form == CovarianceForm::robust && moments.robust_covariance())
    scoring.moments.keep_robust_covariance(*moments.robust_covariance());
  scoring.factor =
      std::pow(scoring.moments.effective_samples() / moments.effective_samples(), 1.0 / 7);
  return scoring;
}

ChosenSamples choose_some(const SamplesView& samples, const Moments& moments,
                          const BandwidthSpec& bandwidth, std::uint64_t count, std::uint64_t seed) {
  if (count == 0 || count >= samples.size()) return {{}, samples, moments, bandwidth, 1};
  return chosen_samples(choose_samples(samples, count, seed), moments, bandwidth);
}

}  // namespace skde
