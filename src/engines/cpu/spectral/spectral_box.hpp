#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/cloud/samples.hpp"
#include "engines/cpu/ranges/round_space.hpp"

namespace skde {

/// Returns the bounding box of samples, in a round space.
inline Box box_of(const SamplesView& samples, const RoundSpace& space) {
  Box box{space(samples.point(0)), space(samples.point(0))};
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const Vec3 u = space(samples.point(i));
    for (int a = 0; a < 3; ++a) {
      box.lower[a] = std::min(box.lower[a], u[a]);
      box.upper[a] = std::max(box.upper[a], u[a]);
    }
  }
  return box;
}

/// Nodes of a side that no memory could hold.
inline constexpr double kMostNodes = 1e5;

/// Returns the smallest number that is at least `nodes`, has no prime factors but 2, 3 and 5, and
/// is divisible by 2^(halvings + 1).
inline std::int64_t smooth_length(double nodes, int halvings) {
  const std::int64_t step = std::int64_t{1} << (halvings + 1);
  for (auto n = static_cast<std::int64_t>(std::ceil(nodes / static_cast<double>(step))) * step;;
       n += step) {
    std::int64_t rest = n;
    for (const int factor : {2, 3, 5})
      while (rest % factor == 0) rest /= factor;
    if (rest == 1) return n;
  }
}

}  // namespace skde
