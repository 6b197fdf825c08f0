#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "bandwidth/bandwidth.hpp"
#include "core/cloud/samples.hpp"
#include "core/report/progress.hpp"
#include "core/report/warning.hpp"
#include "core/report/work_forecast.hpp"
#include "estimate/request.hpp"

namespace skde {

/// What a bootstrap compares.
struct BootstrapSpec {
  DensityRequest request;      ///< kernel, S, grid and engine; its bandwidth is the reference
  std::vector<double> widths;  ///< h to compare, each above 0; empty: 11 from 0.8 to 1.2 references
  std::size_t realizations = 100;
  std::uint64_t seed = 1;
};

/// The order statistics of one measure over all realisations, in the order in which the S-KDE
/// authors print them: of n sorted values those of index 0, floor(0.025 n), floor(0.5 n),
/// floor(0.975 n) and n - 1.
struct Percentiles {
  double minimum = 0, low = 0, median = 0, high = 0, maximum = 0;
  double mean = 0;
};

/// How far densities of realisations are from the reference, at one h.
struct BootstrapRow {
  double h = 0;
  Percentiles largest;        ///< |f* - f| at the cell where it is most
  Percentiles mean_absolute;  ///< |f* - f|, the mean of all cells
  Percentiles squared;        ///< the integral of (f* - f)^2 over the box
};

struct BootstrapResult {
  Bandwidth reference;
  Bandwidth best;  ///< of the least mean squared error
  Grid grid;
  std::vector<BootstrapRow> rows;  ///< by h
  std::vector<Warning> warnings;
};

/// The bootstrap of bandwidths around a reference as the program of the S-KDE authors has it: a
/// realisation has as many samples as the cloud, each a sample drawn at random and moved by a draw
/// from its kernel at the reference bandwidth, then shrunk about the mean by sqrt(1 + v), with v
/// the kernels' share of the cloud's variance, so that its covariance is the cloud's (Silverman
/// 1986, 6.4.1). Its density at each h is compared with the cloud's at the reference. Sample i of
/// realisation r is drawn by (seed, r, i) alone. Samples that weigh are drawn as often as others
/// and keep their weights. Throws what Session::compute throws, and Error(usage) where the request
/// has no one h, or samples have widths.
BootstrapResult bootstrap_bandwidth(const SamplesView& samples, const BootstrapSpec& spec,
                                    Progress& progress);
/// Predicts time and memory of bootstrap_bandwidth(). Throws what it throws.
WorkForecast bootstrap_forecast(const SamplesView& samples, const BootstrapSpec& spec,
                                Progress& progress);

/// Realisation `index` of the samples: kernels of matrix H about samples of this mean, shrunk by
/// the factor.
Samples draw_realization(const SamplesView& samples, KernelFunction kernel, const Symmetric3& H,
                         const Moments& moments, std::uint64_t seed, std::uint64_t index);

}  // namespace skde
