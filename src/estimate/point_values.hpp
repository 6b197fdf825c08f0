#pragma once

#include <vector>

#include "estimate/density_facts.hpp"

namespace skde {

/// Densities at points, normalised as requested.
struct PointDensity {
  DensityFacts facts;  ///< its grid is only the box of the boundaries
  std::vector<double> values;
  std::vector<double> gradients;  ///< 3 per point; empty if not requested
};

/// Means over the samples, at points.
struct PointMeans {
  DensityFacts facts;
  std::vector<double> values;  ///< one per channel for each point
};

}  // namespace skde
