#pragma once

#include <vector>

#include "estimate/density_facts.hpp"

namespace skde {

/// Densities at points, normalised as asked for.
struct PointDensity {
  DensityFacts facts;  ///< its grid is the box of the boundaries alone
  std::vector<double> values;
  std::vector<double> gradients;  ///< 3 a point; empty where nobody wished for them
};

/// Means over samples at points.
struct PointMeans {
  DensityFacts facts;
  std::vector<double> values;  ///< as many a point as there are channels
};

}  // namespace skde
