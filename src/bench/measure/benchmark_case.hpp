#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/results/results.hpp"
#include "core/cloud/samples.hpp"
#include "core/kernel/kernel_function.hpp"
#include "core/kernel/kernel_work.hpp"
#include "core/problem.hpp"
#include "core/space/space.hpp"
#include "estimate/values/request.hpp"

namespace skde::bench {

/// How the samples lie in benchmark_box() (core/cloud/synthetic_cloud.hpp). `uniform` fills it;
/// `spot` is a cube at its middle with a thousandth of its side.
enum class CloudShape { five_gaussians, uniform, filament, surface, clump, spot };

inline constexpr std::array<std::pair<std::string_view, CloudShape>, 6> kClouds{
    {{"five-gaussians", CloudShape::five_gaussians},
     {"uniform", CloudShape::uniform},
     {"filament", CloudShape::filament},
     {"surface", CloudShape::surface},
     {"clump", CloudShape::clump},
     {"spot", CloudShape::spot}}};
constexpr std::string_view cloud_name(CloudShape shape) {
  return kClouds[static_cast<std::size_t>(shape)].first;
}

/// Returns samples [first, first + count) of a seed's cloud. The numbers are the same on every
/// machine and for any number of threads. `weighted`: with weights uniform in [0.5, 1.5).
Samples make_benchmark_cloud(CloudShape shape, std::uint64_t seed, std::uint64_t first,
                             std::uint64_t count, bool weighted);

/// Kernels that samples may have of their own. `factors` scale the common lengths by a quarter to
/// 2. `splats`, like Gaussian splats, are rotated at random; each of their three lengths is an
/// eighth to the whole of the common length.
enum class CaseWidths : std::uint8_t { none, factors, splats };

inline constexpr std::array<std::pair<std::string_view, CaseWidths>, 3> kCaseWidths{
    {{"none", CaseWidths::none}, {"factors", CaseWidths::factors}, {"splats", CaseWidths::splats}}};
constexpr std::string_view widths_name(CaseWidths widths) {
  return kCaseWidths[static_cast<std::size_t>(widths)].first;
}
/// Returns the bytes that a sample's own kernel takes.
constexpr double width_bytes(CaseWidths widths) {
  return widths == CaseWidths::splats ? 48 : widths == CaseWidths::factors ? 8 : 0;
}

/// Gives kernels of their own to the samples [first, first + size) of a seed's cloud. `H` is the
/// common one.
void add_case_widths(Samples& cloud, CaseWidths widths, std::uint64_t seed, std::uint64_t first,
                     const Symmetric3& H);

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
