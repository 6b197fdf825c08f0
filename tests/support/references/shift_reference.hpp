#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "core/cloud/samples.hpp"
#include "support/cases/case_parts.hpp"
#include "support/catch.hpp"

namespace skde::test {

/// u^T H^-1 v, by the adjugate.
inline long double form(const Symmetric3& H, Vec3 u, Vec3 v) {
  using Real = long double;
  const Real xx = H.xx, xy = H.xy, xz = H.xz, yy = H.yy, yz = H.yz, zz = H.zz;
  const Real a = yy * zz - yz * yz, b = xz * yz - xy * zz, c = xy * yz - xz * yy,
             d = xx * zz - xz * xz, e = xy * xz - xx * yz, f = xx * yy - xy * xy;
  const Real det = xx * a + xy * b + xz * c;
  return (u.x * (a * v.x + b * v.y + c * v.z) + u.y * (b * v.x + d * v.y + e * v.z) +
          u.z * (c * v.x + e * v.y + f * v.z)) /
         det;
}

inline Vec3 place_of(std::span<const double> points, std::size_t i) {
  return {points[3 * i], points[3 * i + 1], points[3 * i + 2]};
}

/// The shift by its definition; 0 where the sum is nothing beside the heaviest kernel.
inline Vec3 defined_shift(const Symmetric3& H, const SamplesView& sources, Vec3 at) {
  long double sum = 0, moments[3] = {0, 0, 0}, heaviest = 0;
  for (std::size_t j = 0; j < sources.size(); ++j) {
    const Vec3 apart = sources.point(j) - at;
    const long double q = form(H, apart, apart);
    const long double k = sources.weight(j) * std::exp(-q / 2);
    heaviest = std::max<long double>(heaviest, sources.weight(j));
    sum += k;
    for (int a = 0; a < 3; ++a) moments[a] += k * apart[a];
  }
  if (!(sum > 2e-22L * heaviest)) return {};
  return {double(moments[0] / sum), double(moments[1] / sum), double(moments[2] / sum)};
}

/// The largest error of some shifts, in deviations.
inline double worst_error(const Symmetric3& H, const SamplesView& sources,
                          std::span<const double> targets, const std::vector<double>& shifts,
                          std::size_t step = 1) {
  REQUIRE(shifts.size() == targets.size());
  long double worst = 0;
  for (std::size_t i = 0; i < targets.size() / 3; i += step) {
    const Vec3 apart = place_of(shifts, i) - defined_shift(H, sources, place_of(targets, i));
    worst = std::max(worst, form(H, apart, apart));
  }
  return double(std::sqrt(worst));
}

/// Two clumps about a place, samples spread around them, and two far away.
inline Samples shift_clumps(Random& random, Vec3 at, double size) {
  Samples cloud;
  add_normal(cloud, random, at, size, 300);
  add_normal(cloud, random, at + Vec3{4 * size, size, -size}, 0.3 * size, 150);
  add_uniform(cloud, random,
              {at - Vec3{6 * size, 6 * size, 6 * size}, at + Vec3{6 * size, 6 * size, 6 * size}},
              80);
  cloud.xyz.insert(cloud.xyz.end(), {at.x - 90 * size, at.y, at.z + 20 * size});
  cloud.xyz.insert(cloud.xyz.end(), {at.x + 9 * size, at.y, at.z});
  return cloud;
}

}  // namespace skde::test
