#pragma once

#include <cstddef>

#include "core/mixture/mixture.hpp"
#include "core/report/progress.hpp"
#include "mixture/fit_target.hpp"

/// Mixtures that nothing is fitted for: moments of the samples, or of the cells where there are no
/// samples, and the kernel's H in every covariance.
namespace skde::bench {

/// Returns the masses, means and covariances of K clusters by k-means: from the clusters that a fit
/// starts from, by so many of Lloyd's iterations. Clusters that end without points are left out.
/// Throws Error(cancelled).
Mixture kmeans_mixture(const FitTarget& target, std::size_t count, int iterations,
                       const Progress& progress);

/// Returns K members merged by moments from 4 K clusters, or from all samples if those are fewer:
/// the pair first whose merge adds the least squared error.
Mixture merged_mixture(const FitTarget& target, std::size_t count);

}  // namespace skde::bench
