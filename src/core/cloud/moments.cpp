#include "core/cloud/moments.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "core/cloud/moment_sums.hpp"
#include "core/report/thread_room.hpp"

namespace skde {
namespace {

Symmetric3 outer(Vec3 a) {
  return {a.x * a.x, a.x * a.y, a.x * a.z, a.y * a.y, a.y * a.z, a.z * a.z};
}

/// Extends a box to contain `p`. If `first` is set, the box is empty so far.
void extend(Box& box, Vec3 p, bool first) {
  if (first) box = {p, p};
  for (int axis = 0; axis < 3; ++axis) {
    box.lower[axis] = std::min(box.lower[axis], p[axis]);
    box.upper[axis] = std::max(box.upper[axis], p[axis]);
  }
}

Moments::Sums weighted_sums(const SamplesView& points) {
  Moments::Sums sums;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double w = std::abs(points.weights[i]);
    const Vec3 p = points.point(i);
    if (!(w > 0)) continue;
    if (sums.count == 0) sums.shift = p;
    extend(sums.bounds, p, sums.count == 0);
    const Vec3 d = p - sums.shift;
    ++sums.count;
    sums.weight += w;
    sums.weight_squared += w * w;
    sums.first = sums.first + w * d;
    sums.second = sums.second + w * outer(d);
  }
  return sums;
}

Moments::Sums block_sums(const SamplesView& points) {
  return points.weighted() ? weighted_sums(points) : plain_sums(points);
}

}  // namespace

struct CovarianceOfSome::State {
  Finding finding = nullptr;
  std::vector<Vec3> samples;
  std::vector<double> weights;
  std::once_flag found;
  Symmetric3 value;
};

CovarianceOfSome::CovarianceOfSome(const Symmetric3& known) : state_(std::make_shared<State>()) {
  std::call_once(state_->found, [&] { state_->value = known; });
}

CovarianceOfSome::CovarianceOfSome(Finding finding, std::vector<Vec3> samples,
                                   std::vector<double> weights)
    : state_(std::make_shared<State>()) {
  state_->finding = finding;
  state_->samples = std::move(samples);
  state_->weights = std::move(weights);
}

const Symmetric3& CovarianceOfSome::value() const {
  std::call_once(state_->found, [state = state_.get()] {
    state->value = state->finding(state->samples, state->weights);
    state->samples = {};
    state->weights = {};
  });
  return state_->value;
}

Moments::Moments(const Sums& sums)
    : count_(sums.count),
      weight_(sums.weight),
      weight_squared_(sums.weight_squared),
      bounds_(sums.bounds) {
  if (count_ == 0 || !(weight_ > 0)) return;
  const Vec3 offset = (1 / weight_) * sums.first;
  mean_ = sums.shift + offset;
  central_ = sums.second + (-weight_) * outer(offset);
}

void Moments::add(const SamplesView& points) {
  for (std::size_t begin = 0; begin < points.size(); begin += kBlock)
    merge(Moments(block_sums(points.slice(begin, std::min(kBlock, points.size() - begin)))));
}

void Moments::add_totals(const SamplesView& points) {
  if (points.size() == 0) return;
  Sums sums;
  if (points.weighted()) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double w = std::abs(points.weights[i]);
      if (!(w > 0)) continue;
      const Vec3 p = points.point(i);
      extend(sums.bounds, p, sums.count == 0);
      ++sums.count;
      sums.weight += w;
    }
  } else {
    sums.count = points.size();
    sums.weight = static_cast<double>(points.size());
    sums.bounds = box_around(points);
  }
  merge(Moments(sums));
}

void Moments::merge(const Moments& other) {
  if (other.count_ == 0) return;
  if (count_ == 0) {
    *this = other;
    return;
  }
  const double total = weight_ + other.weight_;
  const Vec3 delta = other.mean_ - mean_;
  central_ = central_ + other.central_ + (weight_ * (other.weight_ / total)) * outer(delta);
  mean_ = mean_ + (other.weight_ / total) * delta;
  for (int axis = 0; axis < 3; ++axis) {
    bounds_.lower[axis] = std::min(bounds_.lower[axis], other.bounds_.lower[axis]);
    bounds_.upper[axis] = std::max(bounds_.upper[axis], other.bounds_.upper[axis]);
  }
  count_ += other.count_;
  weight_ = total;
  weight_squared_ += other.weight_squared_;
}

double Moments::effective_samples() const {
  return weight_squared_ > 0 ? weight_ * (weight_ / weight_squared_) : 0;
}

Symmetric3 Moments::covariance() const {
  return weight_ > 0 ? (1 / weight_) * central_ : Symmetric3{};
}

Moments compute_moments(const SamplesView& points, [[maybe_unused]] int threads) {
  constexpr std::size_t kBlock = Moments::kBlock;
  const std::size_t blocks = (points.size() + kBlock - 1) / kBlock;
  std::vector<Moments> parts(blocks);
#ifdef _OPENMP
  threads = thread_count(threads);
  threads = static_cast<int>(std::clamp<std::size_t>(blocks, 1, static_cast<std::size_t>(threads)));
#pragma omp parallel for schedule(static) num_threads(threads)
#endif
  for (std::size_t b = 0; b < blocks; ++b)
    parts[b].add(points.slice(b * kBlock, std::min(kBlock, points.size() - b * kBlock)));
  Moments result;
  for (const Moments& part : parts) result.merge(part);
  return result;
}

}  // namespace skde
