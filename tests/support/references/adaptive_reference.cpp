#include "support/references/adaptive_reference.hpp"

#include <algorithm>
#include <cmath>

#include "support/references/direct_kernel.hpp"

namespace skde::test {

std::vector<double> adaptive_bandwidths(const SamplesView& points, KernelFunction kernel,
                                        const Symmetric3& H, double alpha) {
  const DirectKernel direct(kernel, H);
  std::vector<double> density(points.size(), 0.0);
  double logs = 0, total = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < points.size(); ++j) {
      const Vec3 d = points.point(i) - points.point(j);
      density[i] += points.weight(j) * direct.at({d.x, d.y, d.z});
    }
    logs += points.weight(i) * std::log(density[i]);
    total += points.weight(i);
  }
  const double mean = std::exp(logs / total);
  for (double& value : density) value = std::pow(value / mean, -alpha);
  return density;
}

}  // namespace skde::test
