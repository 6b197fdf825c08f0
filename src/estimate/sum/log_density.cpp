#include "estimate/sum/log_density.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "estimate/sum/point_density.hpp"

namespace skde {
namespace {

constexpr double kNobody = std::numeric_limits<double>::quiet_NaN();  // the mean of no samples

struct SummedImages {
  LogSums sums;
  double log_of_heights = -std::numeric_limits<double>::infinity();
};

SummedImages sum_images(const PointSetup& setup, bool leave_one_out, std::span<const double> b,
                        std::size_t channels, int threads, Progress& progress) {
  const std::size_t points = setup.places.size() / 3;
  std::vector<std::size_t> numbers(leave_one_out ? points : 0);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  SummedImages all{{std::vector<double>(points, -std::numeric_limits<double>::infinity()),
                    std::vector<double>(points * channels, kNobody)}};
  for_each_kernel(setup, [&](const Kernel& kernel, const SamplesView& samples, const auto& index) {
    std::vector<std::size_t> of_sample(leave_one_out ? samples.size() : 0);
    for (std::size_t i = 0; i < of_sample.size(); ++i) of_sample[i] = index(i);
    std::vector<double> carried(samples.size() * channels);
    for (std::size_t i = 0; i < carried.size(); ++i)
      carried[i] = b[index(i / channels) * channels + i % channels];
    const KernelLogs kernels(kernel, samples, threads);
    all.sums.add(
        kernels.at(setup.places, {of_sample, numbers}, carried, channels, progress, "accumulate"));
    all.log_of_heights = std::max(all.log_of_heights, kernels.log_of_heights());
  });
  return all;
}

/// Returns the sqrt(q), from the box on, beyond which images add nothing that counts at any point.
double reach_that_counts(const PointSetup& setup, const SummedImages& found) {
  constexpr double kShare = 25.4, kCopies = 6;  // logarithms: of 1e11, and of the images of a
                                                // sample
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < found.sums.logs.size(); ++i)
    if (!setup.beyond[i] && std::isfinite(found.sums.logs[i]))
      least = std::min(least, found.sums.logs[i]);
  return setup.box.kernel.function->root_of_fall(
      std::max(0.0, found.log_of_heights + kShare + kCopies - least));
}

}  // namespace

LogSums kernel_logs(PointSetup& setup, bool leave_one_out, std::span<const double> b,
                    std::size_t channels, int threads, Progress& progress) {
  if (!setup.images) return sum_images(setup, leave_one_out, b, channels, threads, progress).sums;
  const SummedImages found = sum_images(setup, leave_one_out, b, 0, threads, progress);
  const double further = reach_that_counts(setup, found) / setup.box.kernel.cut();
  if (further > 1) setup.images->reach_further(further);
  return sum_images(setup, leave_one_out, b, channels, threads, progress).sums;
}

}  // namespace skde
