#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "bench/measure/benchmark_clouds.hpp"
#include "bench/measure/case_widths.hpp"
#include "bench/results/results.hpp"
#include "core/kernel/kernel_function.hpp"
#include "core/kernel/kernel_work.hpp"
#include "core/problem.hpp"
#include "estimate/request.hpp"

namespace skde::bench {

/// One case: `samples` on cells^3 in benchmark_box(), H = h^2 S. S is the covariance of the five
/// Gaussians whatever the shape, so that the kernels of all clouds are alike.
struct BenchmarkCase {
  CloudShape shape = CloudShape::five_gaussians;
  std::uint64_t samples = 100000;
  std::int64_t cells = 100;
  double h = 1;  ///< 0: Silverman's rule, h = A N^(-1/7)
  KernelFunction kernel = KernelFunction::epanechnikov;
  bool weighted = false;
  CaseWidths widths = CaseWidths::none;
  std::uint64_t seed = 1;
  double tolerance = 0;  ///< a share of the peak; 0: by rounding alone
  int inputs = 3;        ///< clouds to go through; fewer where one is larger than every cache
};

/// h of the case, also where Silverman's rule gives it.
double bandwidth_of(const BenchmarkCase& wanted);

/// A cloud of more bytes lies in no cache, so repetitions may use the same one.
inline constexpr double kCachedBytes = 512.0 * (1 << 20);
/// Clouds that the case's repetitions go through.
int inputs_of(const BenchmarkCase& wanted);

/// Samples of which the work of a larger cloud is counted, spread over it.
inline constexpr std::uint64_t kCountedSamples = 100000;

/// A case made ready. The clouds are of one distribution and the same kernel, but of other samples:
/// the repetitions take them in turn, so that nothing of the last run is of use to the next.
struct BenchmarkInput {
  BenchmarkCase wanted;
  double h = 0;
  std::vector<Samples> clouds;
  Kernel kernel;
  Grid grid;
  double total_weight = 0;               ///< of the first cloud
  std::array<double, 3> half_extents{};  ///< of the kernel, in cells
  KernelWork work;  ///< of the first cloud; nothing where kernels are the samples' own

  /// The density of the case, by an engine that the caller names.
  DensityRequest request() const;
  /// The problem that follows for the first cloud.
  Problem problem(Precision precision) const;
};
BenchmarkInput make_input(const BenchmarkCase& wanted);

/// Host bytes of the clouds and of two volumes, which exist whatever engine is measured.
double host_bytes(const BenchmarkCase& wanted, Precision precision);

/// A row of the case for a method that was not measured yet.
Result blank_result(const BenchmarkCase& wanted, std::string_view experiment,
                    std::string_view method, Precision precision);
/// The same with what the prepared input knows.
Result blank_result(const BenchmarkInput& input, std::string_view experiment,
                    std::string_view method, Precision precision);

}  // namespace skde::bench
