#pragma once

#include "bandwidth/cross_validation.hpp"
#include "core/cloud/moments.hpp"

namespace skde {

/// The result of the direct plug-in rule, in the space in which S is the unit matrix.
struct PlugIn {
  double h = 0;
  double curvature = 0;    ///< estimate of the integral of (lap f)^2
  double pilot = 0;        ///< deviation of the Gaussian used for that estimate
  double outer_pilot = 0;  ///< the same for the previous stage, the third power of the Laplacian
};

/// Returns the h that minimises the asymptotic mean integrated squared error R(k) / (n h^3) + h^4
/// var(k)^2 / 4 * integral of (lap f)^2. That integral is estimated with a Gaussian whose width
/// follows, in two stages, from the normal density of the cloud's covariance (Wand and Jones 1994,
/// with one pilot for all directions as in Chacon and Duong 2010). n is n_eff; `spread` is the
/// cloud's covariance as returned by spread_of(). Throws Error(cancelled), and Error(input) if the
/// estimate is not above 0.
PlugIn plug_in_bandwidth(const ScoredSamples& cloud, const Moments& moments,
                         const Symmetric3& spread, Progress& progress);

/// Returns that asymptotic error for any h, per unit of volume.
double asymptotic_error(const PlugIn& plug_in, const ScoredSamples& cloud, double n_eff, double h);

}  // namespace skde
