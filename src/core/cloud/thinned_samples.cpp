#include "core/cloud/thinned_samples.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/cloud/counter_random.hpp"
#include "core/cloud/covariance_estimates.hpp"

namespace skde {
namespace {

/// The limits beyond which samples count as outliers along an axis.
struct Limits {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

Limits limits_along(const std::vector<Vec3>& samples, int axis) {
  constexpr double kFactor = 2;
  std::vector<double> values(samples.size());
  std::ranges::transform(samples, values.begin(), [&](Vec3 p) { return p[axis]; });
  const std::size_t cut = std::max<std::size_t>(1, values.size() / 40);
  const auto low = values.begin() + static_cast<std::ptrdiff_t>(cut);
  const auto high = values.end() - 1 - static_cast<std::ptrdiff_t>(cut);
  std::nth_element(values.begin(), low, values.end());
  const double from = *low;
  std::nth_element(values.begin(), high, values.end());
  const double width = *high - from;
  if (!(width > 0)) return {};  // most lie at one place, so there is no width to judge by
  return {from - kFactor * width, *high + kFactor * width};
}

void widen(Box& box, Vec3 p) {
  for (int axis = 0; axis < 3; ++axis) {
    box.lower[axis] = std::min(box.lower[axis], p[axis]);
    box.upper[axis] = std::max(box.upper[axis], p[axis]);
  }
}

CovarianceOfSome within_of(const Samples& chosen) {
  constexpr std::size_t kEnough = std::size_t{1} << 12;
  const std::size_t step = std::max<std::size_t>(1, chosen.size() / kEnough);
  std::vector<Vec3> some;
  std::vector<double> weights;
  for (std::size_t i = 0; i < chosen.size(); i += step) {
    some.push_back(chosen.view().point(i));
    if (!chosen.weights.empty()) weights.push_back(chosen.weights[i]);
  }
  return {&within_covariance, std::move(some), std::move(weights)};
}

}  // namespace

void RandomSamples::keep_least(std::vector<Entry>& entries) {
  if (entries.size() <= kMost) return;
  std::ranges::nth_element(entries, entries.begin() + kMost, {}, &Entry::hash);
  entries.resize(kMost);
}

void RandomSamples::add(const SamplesView& points) {
  shaped_ = shaped_ || points.shaped();
  if (shaped_) return kept_.clear();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::uint64_t index = next_ + i, hash = Draws(index).word();  // no two are equal
    if (hash > limit_ || !(points.weight(i) > 0)) continue;
    kept_.push_back({hash, index, points.point(i), points.weight(i)});
    if (kept_.size() < 2 * kMost) continue;
    keep_least(kept_);
    limit_ = std::ranges::max_element(kept_, {}, &Entry::hash)->hash;
  }
  next_ += points.size();
}

Samples RandomSamples::chosen() const {
  std::vector<Entry> entries = kept_;
  keep_least(entries);
  std::ranges::sort(entries, {}, &Entry::index);
  Samples samples;
  samples.xyz.reserve(3 * entries.size());
  const bool weighted = std::ranges::any_of(
      entries, [](double w) { return w != 1; }, &Entry::weight);
  for (const Entry& entry : entries) {
    samples.xyz.insert(samples.xyz.end(), {entry.point.x, entry.point.y, entry.point.z});
    if (weighted) samples.weights.push_back(entry.weight);
  }
  return samples;
}

void ThinnedSamples::add(const SamplesView& points) {
  random_.add(points);
  const std::uint64_t begin = next_;
  next_ += points.size();
  for (std::uint64_t i = (begin + stride_ - 1) / stride_ * stride_; i < next_; i += stride_) {
    const auto k = static_cast<std::size_t>(i - begin);
    if (!(points.weight(k) > 0)) continue;
    if (points.weight(k) != 1 && weights_.empty()) weights_.assign(kept_.size(), 1.0);
    kept_.push_back(points.point(k));
    if (points.weight(k) != 1 || !weights_.empty()) weights_.push_back(points.weight(k));
    if (kept_.size() < kMost) continue;
    halve();
    stride_ *= 2;
    i = i / stride_ * stride_;  // makes the next index a multiple of the new stride
  }
}

void ThinnedSamples::halve() {
  for (std::size_t j = 0; 2 * j < kept_.size(); ++j) kept_[j] = kept_[2 * j];
  for (std::size_t j = 0; 2 * j < weights_.size(); ++j) weights_[j] = weights_[2 * j];
  kept_.resize(kept_.size() / 2);
  weights_.resize(weights_.size() / 2);
}

CovarianceOfSome ThinnedSamples::robust_covariance() const {
  constexpr std::size_t kEnough = std::size_t{1} << 13;  // accurate to 1.5 % of a deviation
  const std::size_t step = std::max<std::size_t>(1, kept_.size() / kEnough);
  std::vector<Vec3> some;
  some.reserve(kept_.size() / step + 1);
  std::vector<double> weights;
  for (std::size_t i = 0; i < kept_.size(); i += step) {
    some.push_back(kept_[i]);
    if (!weights_.empty()) weights.push_back(weights_[i]);
  }
  return {&skde::robust_covariance, std::move(some), std::move(weights)};
}

void ThinnedSamples::keep_in(Moments& moments) const {
  moments.keep_robust_covariance(robust_covariance());
  Samples chosen = random_.chosen();
  if (chosen.size() == 0) return;
  moments.keep_within_covariance(within_of(chosen));
  moments.keep_some(std::move(chosen));
}

Box ThinnedSamples::without_outliers(const Box& bounds) const {
  constexpr std::size_t kFewest = 8, kShare = 100;
  if (kept_.size() < kFewest) return bounds;
  Limits limits[3];
  bool any = false;
  for (int axis = 0; axis < 3; ++axis) {
    limits[axis] = limits_along(kept_, axis);
    any = any || bounds.lower[axis] < limits[axis].lower || bounds.upper[axis] > limits[axis].upper;
  }
  if (!any) return bounds;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Box inner{{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}};
  std::size_t outliers = 0;
  for (const Vec3& p : kept_) {
    bool is_outlier = false;
    for (int axis = 0; axis < 3; ++axis)
      is_outlier = is_outlier || p[axis] < limits[axis].lower || p[axis] > limits[axis].upper;
    if (is_outlier)
      ++outliers;
    else
      widen(inner, p);
  }
  if (outliers > std::max<std::size_t>(1, kept_.size() / kShare)) return bounds;
  Box box = bounds;
  for (int axis = 0; axis < 3; ++axis) {
    // A thinned cloud may lack the outermost samples, so bounds within the limits are kept.
    const bool all_kept = stride_ == 1;
    if (all_kept || bounds.lower[axis] < limits[axis].lower) box.lower[axis] = inner.lower[axis];
    if (all_kept || bounds.upper[axis] > limits[axis].upper) box.upper[axis] = inner.upper[axis];
  }
  return box;
}

}  // namespace skde
