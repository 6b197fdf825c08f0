#pragma once

#include <span>
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
/// `all`: densities of all samples there by an engine; may be empty. Those of a GPU make gradients
/// of Gaussians without images, f H^-1 m with the mean shift m, where the tolerance allows floats.
/// The error is then at most the tolerance times f over the kernel's deviation.
std::vector<double> point_gradients(const PointSetup& setup, std::span<const double> all,
                                    const DensityRequest& request, bool leave_one_out,
                                    Progress& progress);

}  // namespace skde
