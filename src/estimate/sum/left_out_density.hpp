#pragma once

#include <span>
#include <vector>

#include "estimate/sum/point_density.hpp"

namespace skde {

/// Errors that the points are not the samples themselves (usage), or that one of these has all the
/// weight (input).
void require_own_points(const PointSetup& setup, std::span<const double> points);

/// W without sample i, also where that one has nearly all of it.
double weight_of_others(const PointSetup& setup, std::size_t i);
/// W without each sample.
std::vector<double> weights_of_others(const PointSetup& setup);

/// The density of the others at every sample, in double.
std::vector<double> left_out_values(const PointSetup& setup, int threads, Progress& progress);

/// Gradients of the density at the points, or of that of the others, 3 doubles each.
std::vector<double> point_gradients(const PointSetup& setup, bool leave_one_out, int threads,
                                    Progress& progress);

}  // namespace skde
