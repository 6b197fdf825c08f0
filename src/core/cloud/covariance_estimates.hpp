#pragma once

#include <span>

#include "core/space/space.hpp"

namespace skde {

/// Returns a covariance that a few far samples change little: the orthogonalised estimate of
/// Gnanadesikan and Kettenring by Maronna and Zamar (Technometrics 44(4), 2002), in two steps and
/// without reweighting. Scales are median distances from the median, times 1.4826, so the result
/// for a normal density is its covariance. In squared units of the coordinates. `weights` is empty
/// or holds one weight above 0 per sample. An axis along which more than half of the weight lies at
/// one place has no variance.
Symmetric3 robust_covariance(std::span<const Vec3> samples, std::span<const double> weights);

/// Returns the pooled covariance of the parts of a cloud: of each sample about the mean of its
/// part. Parts are peaks of the density that stand out of the saddles between them by a factor of 2
/// and hold 5 % of the weight (clustering by persistence: Chazal, Guibas, Oudot and Skraba, J. ACM
/// 60, 2013), with the density from the distance of the 32nd neighbour. In squared units of the
/// coordinates. `weights` is empty or holds one weight above 0 per sample. Takes the square of the
/// number of samples, so it wants some thousand. One part: the covariance of the samples.
Symmetric3 within_covariance(std::span<const Vec3> samples, std::span<const double> weights);

}  // namespace skde
