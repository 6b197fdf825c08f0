#include "core/cloud/moment_sums.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "core/report/thread_room.hpp"

namespace skde {
namespace {

/// x, y, z and an unused lane. On processors with registers this wide, one such vector per sample
/// takes a third of the instructions of scalar code.
using Four = double __attribute__((vector_size(4 * sizeof(double))));

struct FourSums {
  Four first, squares, products, lower, upper;  ///< products: xy, yz, zx
};

Vec3 vector_of(const Four& four) { return {four[0], four[1], four[2]}; }

/// Every sample except the last can be loaded together with the double behind it.
[[gnu::always_inline]] inline void add_all(const SamplesView& points, FourSums& sums) {
  const double* from = points.xyz.data();
  Four shift{from[0], from[1], from[2], 0};
  Four first{}, squares{}, products{}, lower = shift, upper = shift;
  const auto add = [&](const double* place) __attribute__((always_inline)) {
    Four p;
    std::memcpy(&p, place, sizeof(p));
    const Four d = p - shift;
    const Four turned = __builtin_shufflevector(d, d, 1, 2, 0, 3);
    first += d;
    squares += d * d;
    products += d * turned;
    lower = p < lower ? p : lower;
    upper = upper < p ? p : upper;
  };
  const double* const last = from + 3 * (points.size() - 1);
  for (; from != last; from += 3) add(from);
  const double alone[4]{last[0], last[1], last[2], 0};
  add(alone);
  sums = {first, squares, products, lower, upper};
}

/// Takes four samples at a time: a minimum or maximum does not depend on their order.
[[gnu::always_inline]] inline void bound_all(const SamplesView& points, Box& box) {
  constexpr std::size_t kFours = 3;
  using Twelve = double[4 * kFours];
  Twelve lower, upper;
  for (std::size_t i = 0; i < 4 * kFours; ++i) lower[i] = upper[i] = points.xyz[i % 3];
  Four least[kFours], most[kFours];
  std::memcpy(least, lower, sizeof(lower));
  std::memcpy(most, upper, sizeof(upper));
  std::size_t at = 0;
  for (; at + 4 * kFours <= points.xyz.size(); at += 4 * kFours)
    for (std::size_t i = 0; i < kFours; ++i) {
      Four p;
      std::memcpy(&p, points.xyz.data() + at + 4 * i, sizeof(p));
      least[i] = p < least[i] ? p : least[i];
      most[i] = most[i] < p ? p : most[i];
    }
  std::memcpy(lower, least, sizeof(lower));
  std::memcpy(upper, most, sizeof(upper));
  for (; at < points.xyz.size(); ++at) {
    lower[at % 3] = std::min(lower[at % 3], points.xyz[at]);
    upper[at % 3] = std::max(upper[at % 3], points.xyz[at]);
  }
  const Vec3 first = points.point(0);
  box = {first, first};
  for (std::size_t i = 0; i < 4 * kFours; ++i) {
    double &least_here = box.lower[static_cast<int>(i % 3)],
           &most_here = box.upper[static_cast<int>(i % 3)];
    least_here = std::min(least_here, lower[i]);
    most_here = std::max(most_here, upper[i]);
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void add_all_avx2(const SamplesView& points, FourSums& sums) {
  add_all(points, sums);
}
[[gnu::target("avx2")]] void bound_all_avx2(const SamplesView& points, Box& box) {
  bound_all(points, box);
}
bool has_avx2() { return __builtin_cpu_supports("avx2") != 0; }
#endif

FourSums sums_of(const SamplesView& points) {
  FourSums sums;
#if defined(__x86_64__)
  if (has_avx2()) {
    add_all_avx2(points, sums);
    return sums;
  }
#endif
  add_all(points, sums);
  return sums;
}

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

Moments::Sums plain_sums(const SamplesView& points) {
  if (points.size() == 0) return {};
  const FourSums sums = sums_of(points);
  const auto count = static_cast<double>(points.size());
  const Four &s = sums.squares, &p = sums.products;
  return {points.size(),
          count,
          count,
          points.point(0),
          vector_of(sums.first),
          {s[0], p[0], p[2], s[1], p[1], s[2]},
          {vector_of(sums.lower), vector_of(sums.upper)}};
}

Box box_around(const SamplesView& points) {
  Box box;
#if defined(__x86_64__)
  if (has_avx2()) {
    bound_all_avx2(points, box);
    return box;
  }
#endif
  bound_all(points, box);
  return box;
}

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
