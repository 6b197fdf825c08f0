#include "core/cloud/exact_moments.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/report/thread_room.hpp"

namespace skde {
namespace {

/// The two axes of each entry of a symmetric matrix.
constexpr std::array<std::array<std::size_t, 2>, 6> kEntries{
    {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}}};

void widen(Box& box, const Box& other) {
  for (int axis = 0; axis < 3; ++axis) {
    box.lower[axis] = std::min(box.lower[axis], other.lower[axis]);
    box.upper[axis] = std::max(box.upper[axis], other.upper[axis]);
  }
}

/// Returns sum w (a - ma)(b - mb), rounded only at the end.
double central_moment(const ExactMoments::Sums& sums, std::size_t entry, const Vec3& mean) {
  const auto [a, b] = kEntries[entry];
  const double ma = mean[static_cast<int>(a)], mb = mean[static_cast<int>(b)];
  ExactSum central = sums.second[entry];
  for (const double part : sums.first[b].parts()) central.add_product(-ma, part);
  for (const double part : sums.first[a].parts()) central.add_product(-mb, part);
  for (const double part : sums.weight.parts()) central.add_product(ma, mb, part);
  return central.value();
}

}  // namespace

void ExactMoments::add_share(const SamplesView& points) {
  std::uint64_t ones = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double w = points.weight(i);
    if (!(w > 0)) continue;
    const Vec3 p = points.point(i);
    if (sums_.count == 0)
      sums_.bounds = {p, p};
    else
      widen(sums_.bounds, {p, p});
    ++sums_.count;
    sums_.largest_weight = std::max(sums_.largest_weight, w);
    if (points.weighted()) {
      sums_.weight.add(w);
      sums_.weight_squared.add_product(w, w);
      for (std::size_t a = 0; a < 3; ++a) sums_.first[a].add_product(w, p[static_cast<int>(a)]);
      for (std::size_t entry = 0; entry < kEntries.size(); ++entry)
        sums_.second[entry].add_product(p[static_cast<int>(kEntries[entry][0])],
                                        p[static_cast<int>(kEntries[entry][1])], w);
      continue;
    }
    ++ones;
    for (std::size_t a = 0; a < 3; ++a) sums_.first[a].add(p[static_cast<int>(a)]);
    for (std::size_t entry = 0; entry < kEntries.size(); ++entry)
      sums_.second[entry].add_product(p[static_cast<int>(kEntries[entry][0])],
                                      p[static_cast<int>(kEntries[entry][1])]);
  }
  sums_.weight.add(static_cast<double>(ones));
  sums_.weight_squared.add(static_cast<double>(ones));
}

void ExactMoments::add(const SamplesView& points, [[maybe_unused]] int threads) {
  constexpr std::size_t kFewest = std::size_t{1} << 14;  // fewer samples are not worth a thread
  std::size_t shares = 1;
#ifdef _OPENMP
  threads = thread_count(threads);
  shares = std::clamp<std::size_t>(points.size() / kFewest, 1, static_cast<std::size_t>(threads));
#endif
  if (shares == 1) return add_share(points);
  std::vector<ExactMoments> parts(shares);
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1) num_threads(static_cast <int>(shares))
#endif
  for (std::size_t t = 0; t < shares; ++t) {
    const std::size_t begin = points.size() * t / shares;
    parts[t].add_share(points.slice(begin, points.size() * (t + 1) / shares - begin));
  }
  for (const ExactMoments& part : parts) merge(part);
}

void ExactMoments::merge(const ExactMoments& other) {
  const Sums& sums = other.sums_;
  if (sums.count == 0) return;
  if (sums_.count == 0) {
    sums_ = sums;
    return;
  }
  sums_.count += sums.count;
  sums_.largest_weight = std::max(sums_.largest_weight, sums.largest_weight);
  widen(sums_.bounds, sums.bounds);
  sums_.weight.merge(sums.weight);
  sums_.weight_squared.merge(sums.weight_squared);
  for (std::size_t a = 0; a < 3; ++a) sums_.first[a].merge(sums.first[a]);
  for (std::size_t entry = 0; entry < kEntries.size(); ++entry)
    sums_.second[entry].merge(sums.second[entry]);
}

Moments ExactMoments::moments() const {
  const double weight = total_weight();
  if (sums_.count == 0 || !(weight > 0)) return {};
  Moments::Sums about_mean;
  about_mean.count = sums_.count;
  about_mean.weight = weight;
  about_mean.weight_squared = sums_.weight_squared.value();
  about_mean.bounds = sums_.bounds;
  for (int a = 0; a < 3; ++a)
    about_mean.shift[a] = sums_.first[static_cast<std::size_t>(a)].value() / weight;
  const auto central = [&](std::size_t entry) {
    return central_moment(sums_, entry, about_mean.shift);
  };
  about_mean.second = {central(0), central(1), central(2), central(3), central(4), central(5)};
  return Moments(about_mean);
}

}  // namespace skde
