#include "core/cloud/plain_sums.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

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

}  // namespace skde
