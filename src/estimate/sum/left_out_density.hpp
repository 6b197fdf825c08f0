#pragma once

#include <span>
#include <vector>

#include "estimate/sum/point_density.hpp"

namespace skde {

/// Throws Error(usage) if the points are not the samples themselves, and Error(input) if one of
/// these has all the weight.
void require_own_points(const PointSetup& setup, std::span<const double> points);

/// Returns W without sample i; accurate even if that sample has nearly all of it.
double weight_of_others(const PointSetup& setup, std::size_t i);
/// Returns W without each sample.
std::vector<double> weights_of_others(const PointSetup& setup);

/// Returns the density of the other samples at every sample, in double.
std::vector<double> left_out_values(const PointSetup& setup, int threads, Progress& progress);

/// Returns gradients of the density at the points, or of the density of the others; 3 doubles each.
std::vector<double> point_gradients(const PointSetup& setup, bool leave_one_out, int threads,
                                    Progress& progress);

}  // namespace skde
