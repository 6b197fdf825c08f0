#pragma once

#include "bandwidth/cross_validation.hpp"
#include "core/cloud/moments.hpp"

namespace skde {

/// What the direct plug-in rule went by, in the space in which S is the unit matrix.
struct PlugIn {
  double h = 0;
  double curvature = 0;    ///< estimate of the integral of (lap f)^2
  double pilot = 0;        ///< deviation of the Gaussian that it is estimated with
  double outer_pilot = 0;  ///< of the stage before, for the third power of the Laplacian
};

/// The h that minimises the asymptotic mean integrated squared error R(k) / (n h^3) + h^4 var(k)^2
/// / 4 * integral of (lap f)^2, where that integral is estimated with a Gaussian whose width
/// follows, in two stages, from the normal density of the cloud's covariance (Wand and Jones 1994,
/// with one pilot for all directions as Chacon and Duong 2010 have it). n is n_eff. Throws
/// Error(cancelled), and Error(input) where the estimate is not above 0.
/// `spread` is the cloud's covariance, as spread_of() has it.
PlugIn plug_in_bandwidth(const ScoredSamples& cloud, const Moments& moments,
                         const Symmetric3& spread, Progress& progress);

/// The asymptotic error above of any h, per unit of volume.
double asymptotic_error(const PlugIn& plug_in, const ScoredSamples& cloud, double n_eff, double h);

}  // namespace skde
