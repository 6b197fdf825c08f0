#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "bench/measure/benchmark_clouds.hpp"
#include "bench/results/results.hpp"
#include "core/kernel/kernel_function.hpp"
#include "core/kernel/kernel_work.hpp"
#include "core/problem.hpp"
#include "estimate/values/request.hpp"

namespace skde::bench {

/// One case: `samples` on cells^3 in benchmark_box(), H = h^2 S. S is the covariance of the five
/// Gaussians for every shape, so that the kernels of all clouds are alike.
struct BenchmarkCase {
  CloudShape shape = CloudShape::five_gaussians;
  std::uint64_t samples = 100000;
  std::int64_t cells = 100;
  double h = 1;  ///< 0: Silverman's rule, h = A N^(-1/7)
  KernelFunction kernel = KernelFunction::epanechnikov;
  bool weighted = false;
  CaseWidths widths = CaseWidths::none;
  std::uint64_t seed = 1;
  double tolerance = 0;  ///< as a share of the peak; 0: rounding only
  int inputs = 3;        ///< clouds to alternate between; fewer if one exceeds every cache
};

/// Returns the h of the case, computed if it follows Silverman's rule.
double bandwidth_of(const BenchmarkCase& wanted);

/// No cache holds a cloud of more bytes, so repetitions may reuse the same one.
inline constexpr double kCachedBytes = 512.0 * (1 << 20);
/// Returns the number of clouds that the case's repetitions alternate between.
int inputs_of(const BenchmarkCase& wanted);

/// Samples, spread over a larger cloud, whose work is counted.
inline constexpr std::uint64_t kCountedSamples = 100000;

/// A case made ready. The clouds have one distribution and kernel, but different samples. The
/// repetitions take them in turn, so that nothing of the last run helps the next.
struct BenchmarkInput {
  BenchmarkCase wanted;
  double h = 0;
  std::vector<Samples> clouds;
  Kernel kernel;
  Grid grid;
  double total_weight = 0;               ///< of the first cloud
  std::array<double, 3> half_extents{};  ///< of the kernel, in cells
  KernelWork work;  ///< of the first cloud; empty if samples have kernels of their own

  /// Returns the request for the case; the caller names an engine.
  DensityRequest request() const;
  /// Returns the resulting problem for the first cloud.
  Problem problem(Precision precision) const;
};
BenchmarkInput make_input(const BenchmarkCase& wanted);

/// Returns the host bytes of the clouds and of two volumes, which every engine's measurement needs.
double host_bytes(const BenchmarkCase& wanted, Precision precision);

/// Returns a row of the case for a method that has not been measured yet.
Result blank_result(const BenchmarkCase& wanted, std::string_view experiment,
                    std::string_view method, Precision precision);
/// Returns such a row with what the prepared input knows.
Result blank_result(const BenchmarkInput& input, std::string_view experiment,
                    std::string_view method, Precision precision);

}  // namespace skde::bench
