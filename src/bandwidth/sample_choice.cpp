#include "bandwidth/sample_choice.hpp"

#include <algorithm>
#include <cmath>

#include "core/cloud/index_bijection.hpp"

namespace skde {

Samples choose_samples(const SamplesView& samples, std::uint64_t count, std::uint64_t seed) {
  const IndexBijection order(samples.size(), seed);
  const std::uint64_t taken = std::min<std::uint64_t>(count, samples.size());
  Samples chosen;
  chosen.xyz.reserve(3 * taken);
  if (samples.weighted()) chosen.weights.reserve(taken);
  for (std::uint64_t place = 0; place < taken; ++place) {
    const auto i = static_cast<std::size_t>(order(place));
    const Vec3 at = samples.point(i);
    chosen.xyz.insert(chosen.xyz.end(), {at.x, at.y, at.z});
    if (samples.weighted()) chosen.weights.push_back(samples.weight(i));
  }
  return chosen;
}

Judges choose_judges(const SamplesView& samples, const Moments& moments,
                     const BandwidthSpec& bandwidth, std::uint64_t count, std::uint64_t seed) {
  Judges judges{{}, samples, moments, bandwidth, 1};
  if (count == 0 || count >= samples.size()) return judges;
  judges.chosen = choose_samples(samples, count, seed);
  judges.samples = judges.chosen.view();
  judges.moments = compute_moments(judges.samples);
  // Their h is applied to the covariance of all samples, in the form that is asked for.
  judges.bandwidth.covariance = spread_of(moments, bandwidth);
  if (bandwidth.form == CovarianceForm::robust && moments.robust_covariance())
    judges.moments.keep_robust_covariance(*moments.robust_covariance());
  judges.factor =
      std::pow(judges.moments.effective_samples() / moments.effective_samples(), 1.0 / 7);
  return judges;
}

}  // namespace skde
