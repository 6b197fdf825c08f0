#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "estimate/density_facts.hpp"
#include "estimate/session.hpp"

namespace skde {

/// Means of values that samples carry, weighted by their kernels (Nadaraya 1964, Watson 1964).
struct KernelRegression {
  DensityFacts facts;
  std::vector<double> means;       ///< a column each beside the other, point by point
  std::vector<double> deviations;  ///< the same of the weighted standard deviations
  std::uint64_t unreached = 0;     ///< points that no sample reaches, where all are NaN
};

/// The means of `columns` values a sample at points, m = sum w_i k_i v_i / sum w_i k_i, and their
/// deviations, sqrt(sum w_i k_i (v_i - m)^2 / sum w_i k_i). Sums are in double about the mean of
/// all values: off by 1e-11 of the spread of all, and deviations by 1e-5 of it, of Gaussians
/// however far from all samples. Throws what Session::means throws, Error(input) where a value is
/// not finite, and Error(usage) where their number is not that of the samples.
KernelRegression kernel_regression(Session& session, const DensityRequest& request,
                                   const TargetPoints& points, std::span<const double> values,
                                   std::size_t columns, Progress& progress);
/// Predicts time and memory of kernel_regression(). Throws what it throws.
WorkForecast kernel_regression_forecast(Session& session, const DensityRequest& request,
                                        const TargetPoints& points, std::size_t columns,
                                        Progress& progress);

}  // namespace skde
