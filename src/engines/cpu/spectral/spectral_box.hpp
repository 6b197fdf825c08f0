#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/cloud/samples.hpp"
#include "engines/cpu/ranges/round_space.hpp"

namespace skde {

/// That holds the samples of a round space.
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

/// Nodes of a side that are beyond any memory.
inline constexpr double kMostNodes = 1e5;

/// The least number of at least `nodes`, of factors 2, 3 and 5, that 2^(halvings + 1) divides.
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
