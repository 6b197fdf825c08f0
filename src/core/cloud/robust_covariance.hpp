#pragma once

#include <span>

#include "core/space.hpp"

namespace skde {

/// The covariance of most of the samples, which few far ones change little: the orthogonalised
/// estimate of Gnanadesikan and Kettenring by Maronna and Zamar (Technometrics 44(4), 2002), of two
/// steps and without reweighting. Scales are medians of the distances from medians, times 1.4826,
/// so that of a normal density it is the covariance. In squared units of the coordinates; weights
/// are none, or one above 0 a sample. Axes along which more than half of the weight lies at one
/// place have none.
Symmetric3 robust_covariance(std::span<const Vec3> samples, std::span<const double> weights);

}  // namespace skde
