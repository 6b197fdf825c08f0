#pragma once

#include <vector>

#include "estimate/sum/point_density.hpp"

namespace skde {

/// Returns W without each sample.
std::vector<double> weights_of_others(const PointSetup& setup);

/// Returns the sums of all samples at every sample, in double, by the CPU.
std::vector<double> sums_of_all(const PointSetup& setup, int threads, Progress& progress);
/// Returns the density of the other samples at every sample, from those sums, or from a GPU's
/// densities of all samples.
std::vector<double> left_out_values(const PointSetup& setup, std::vector<double> all, int threads,
                                    Progress& progress);

/// Returns gradients of the density at the points, or of the density of the others; 3 doubles each.
std::vector<double> gradients_at(const PointSetup& setup, const DensityRequest& request,
                                 bool leave_one_out, Progress& progress);

}  // namespace skde
