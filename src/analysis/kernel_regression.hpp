#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "estimate/session.hpp"
#include "estimate/values/density_facts.hpp"

namespace skde {

/// The middle of a column of values and half of its range. Scaling by them keeps the digits of sums
/// of squares.
struct ColumnScale {
  double middle = 0, spread = 1;

  /// Returns the value scaled to -1 to 1.
  double scaled(double value) const { return (value - middle) / spread; }
};

/// Returns the scale of one of several columns; values are stored row by row. Throws Error(input)
/// if a value is not finite.
ColumnScale scale_of(std::span<const double> values, std::size_t columns, std::size_t column);
/// Throws Error(usage) unless there are equally many values for every sample.
void require_columns(std::span<const double> values, std::size_t columns);

/// Kernel-weighted means of values that samples carry (Nadaraya 1964, Watson 1964).
struct KernelRegression {
  DensityFacts facts;
  std::vector<double> means;       ///< one column per value, stored point by point
  std::vector<double> deviations;  ///< weighted standard deviations, stored likewise
  std::uint64_t unreached = 0;     ///< points that no sample reaches; their results are NaN
};

/// Returns the means of `columns` values per sample at points, m = sum w_i k_i v_i / sum w_i k_i,
/// and their deviations, sqrt(sum w_i k_i (v_i - m)^2 / sum w_i k_i). Sums are in double about the
/// mean of all values. Means are off by 1e-11 of the spread of all values, deviations by 1e-5; for
/// Gaussians this holds however far the points are from all samples. Throws what Session::means
/// throws, Error(input) if a value is not finite, and Error(usage) if the number of values does not
/// match the samples.
KernelRegression kernel_regression(Session& session, const DensityRequest& request,
                                   const TargetPoints& points, std::span<const double> values,
                                   std::size_t columns, Progress& progress);
/// Predicts time and memory of kernel_regression(). Throws what that throws.
WorkForecast kernel_regression_forecast(Session& session, const DensityRequest& request,
                                        const TargetPoints& points, std::size_t columns,
                                        Progress& progress);

}  // namespace skde
