#pragma once

#include <cstdint>
#include <vector>

#include "bandwidth/bandwidth.hpp"
#include "core/cloud/samples.hpp"
#include "core/report/error.hpp"
#include "core/report/progress.hpp"
#include "core/report/stage_times.hpp"
#include "estimate/values/request.hpp"

namespace skde {

/// The input of a bootstrap.
struct BootstrapSpec {
  DensityRequest request;      ///< kernel, S, grid and engine; its bandwidth is the reference
  std::vector<double> widths;  ///< h to compare, each above 0; empty: 11 from 0.8 to 1.2 references
  std::size_t realizations = 100;
  std::uint64_t seed = 1;
  double factor =
      1;  ///< converts h of these samples to those given and returned, for all of a cloud
};

/// Order statistics of one measure over all realisations, in the order in which the S-KDE authors
/// print them: of n sorted values, those at index 0, floor(0.025 n), floor(0.5 n), floor(0.975 n)
/// and n - 1; and their mean.
struct Percentiles {
  double minimum = 0, low = 0, median = 0, high = 0, maximum = 0;
  double mean = 0;
};

/// The differences between the densities of realisations and the reference, at one h.
struct BootstrapRow {
  double h = 0;
  Percentiles largest;        ///< |f* - f| at the cell where it is largest
  Percentiles mean_absolute;  ///< mean of |f* - f| over all cells
  Percentiles squared;        ///< integral of (f* - f)^2 over the box
};

struct BootstrapResult {
  Bandwidth reference;
  Bandwidth best;  ///< has the lowest mean squared error
  Grid grid;
  std::vector<BootstrapRow> rows;  ///< sorted by h
  std::vector<Warning> warnings;
};

/// Runs the bootstrap of bandwidths around a reference, as the program of the S-KDE authors does. A
/// realisation has as many samples as the cloud. Each is a random sample moved by a draw from its
/// kernel at the reference bandwidth, then shrunk about the mean by sqrt(1 + v), with v the
/// kernels' share of the cloud's variance, so that the covariance stays the cloud's (Silverman
/// 1986, 6.4.1). The density at each h is compared with that of the cloud at the reference. Sample
/// i of realisation r depends only on (seed, r, i). Weighted samples are drawn with equal
/// probability and keep their weights. Throws what Session::compute throws, and Error(usage) if the
/// request has no single h, or if samples have bandwidth factors.
BootstrapResult bootstrap_bandwidth(const SamplesView& samples, const BootstrapSpec& spec,
                                    Progress& progress);
/// Predicts time and memory of bootstrap_bandwidth(). Throws what that throws.
WorkForecast bootstrap_forecast(const SamplesView& samples, const BootstrapSpec& spec,
                                Progress& progress);

/// Returns realisation `index` of the samples. Kernels have the matrix H, and the result is shrunk
/// about the mean in `moments`.
Samples draw_realization(const SamplesView& samples, KernelFunction kernel, const Symmetric3& H,
                         const Moments& moments, std::uint64_t seed, std::uint64_t index);

}  // namespace skde
