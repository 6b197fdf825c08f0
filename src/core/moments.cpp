#include "core/moments.hpp"

#include <algorithm>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace skde {
namespace {

Symmetric3 outer(Vec3 a) {
  return {a.x * a.x, a.x * a.y, a.x * a.z, a.y * a.y, a.y * a.z, a.z * a.z};
}

Moments::Sums weighted_sums(const SamplesView& points) {
  Moments::Sums sums;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double w = points.weights[i];
    const Vec3 p = points.point(i);
    if (!(w > 0)) continue;
    if (sums.count == 0) {
      sums.shift = p;
      sums.bounds = {p, p};
    }
    const Vec3 d = p - sums.shift;
    ++sums.count;
    sums.weight += w;
    sums.weight_squared += w * w;
    sums.first = sums.first + w * d;
    sums.second = sums.second + w * outer(d);
    for (int axis = 0; axis < 3; ++axis) {
      sums.bounds.lower[axis] = std::min(sums.bounds.lower[axis], p[axis]);
      sums.bounds.upper[axis] = std::max(sums.bounds.upper[axis], p[axis]);
    }
  }
  return sums;
}

/// The box around samples and `box`.
Box box_around(const SamplesView& points, const Box& box) {
  Vec3 lower = box.lower, upper = box.upper;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3 p = points.point(i);
    lower = {std::min(lower.x, p.x), std::min(lower.y, p.y), std::min(lower.z, p.z)};
    upper = {std::max(upper.x, p.x), std::max(upper.y, p.y), std::max(upper.z, p.z)};
  }
  return {lower, upper};
}

/// The bits of the same with weights of 1. Sums and box are in loops of their own, for each of
/// which a processor has enough registers.
Moments::Sums plain_sums(const SamplesView& points) {
  constexpr std::size_t kAtOnce = 512;  // which the nearest cache holds
  if (points.size() == 0) return {};
  const Vec3 shift = points.point(0);
  Vec3 first;
  Symmetric3 second;
  Box bounds{shift, shift};
  for (std::size_t begin = 0; begin < points.size(); begin += kAtOnce) {
    const SamplesView some = points.slice(begin, std::min(kAtOnce, points.size() - begin));
    for (std::size_t i = 0; i < some.size(); ++i) {
      const Vec3 d = some.point(i) - shift;
      first = first + d;
      second = second + outer(d);
    }
    bounds = box_around(some, bounds);
  }
  const auto count = static_cast<double>(points.size());
  return {points.size(), count, count, shift, first, second, bounds};
}

Moments::Sums block_sums(const SamplesView& points) {
  return points.weighted() ? weighted_sums(points) : plain_sums(points);
}

}  // namespace

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
      if (!(points.weights[i] > 0)) continue;
      const Vec3 p = points.point(i);
      sums.bounds = box_around(points.slice(i, 1), sums.count == 0 ? Box{p, p} : sums.bounds);
      ++sums.count;
      sums.weight += points.weights[i];
    }
  } else {
    sums.count = points.size();
    sums.weight = static_cast<double>(points.size());
    sums.bounds = box_around(points, {points.point(0), points.point(0)});
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
  if (threads <= 0) threads = omp_get_max_threads();
#pragma omp parallel for schedule(static) num_threads(threads)
#endif
  for (std::size_t b = 0; b < blocks; ++b)
    parts[b].add(points.slice(b * kBlock, std::min(kBlock, points.size() - b * kBlock)));
  Moments result;
  for (const Moments& part : parts) result.merge(part);
  return result;
}

}  // namespace skde
