#include "bench/measure/case_widths.hpp"

#include <cmath>

#include "core/cloud/counter_random.hpp"
#include "core/space/space.hpp"

namespace skde::bench {
namespace {

constexpr std::uint64_t kWidths = 105, kSplats = 106;  // random streams, besides that of weights

double log_uniform(Draws& draws, double least, double most) {
  return least * std::pow(most / least, draws.uniform());
}

/// Returns R diag(squares) R^T, with R uniform over all rotations.
Symmetric3 turned(Draws& draws, double common) {
  constexpr double kShortest = 0.125;
  double quaternion[4], norm = 0;
  for (double& part : quaternion) {
    part = draws.normal();
    norm += part * part;
  }
  for (double& part : quaternion) part /= std::sqrt(norm);
  const auto [w, x, y, z] = quaternion;
  const Vec3 axes[3] = {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                        {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                        {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
  Symmetric3 sum;
  for (const Vec3& axis : axes) {
    const Vec3 v = log_uniform(draws, kShortest * common, common) * axis;
    sum = sum + Symmetric3{v.x * v.x, v.x * v.y, v.x * v.z, v.y * v.y, v.y * v.z, v.z * v.z};
  }
  return sum;
}

}  // namespace

void add_case_widths(Samples& cloud, CaseWidths widths, std::uint64_t seed, std::uint64_t first,
                     const Symmetric3& H) {
  if (widths == CaseWidths::none) return;
  const bool factors = widths == CaseWidths::factors;
  const CounterRandom random(seed, factors ? kWidths : kSplats);
  const double common = std::sqrt(H.trace() / 3);
  const std::size_t count = cloud.size();
  (factors ? cloud.bandwidth_factors : cloud.shapes).reserve(factors ? count : 6 * count);
  for (std::size_t i = 0; i < count; ++i) {
    Draws draws = random.at(first + i);
    if (factors) {
      cloud.bandwidth_factors.push_back(log_uniform(draws, 0.25, 2));
      continue;
    }
    const Symmetric3 m = turned(draws, common);
    cloud.shapes.insert(cloud.shapes.end(), {m.xx, m.xy, m.xz, m.yy, m.yz, m.zz});
  }
}

}  // namespace skde::bench
