#pragma once

#include <memory>

#include "core/grid.hpp"
#include "core/problem.hpp"
#include "estimate/read/cloud.hpp"

namespace skde {

/// The default alpha of Abramson's law.
inline constexpr double kSquareRootLaw = 0.5;

/// What adaptive per-sample bandwidths depend on besides the samples.
struct AdaptiveSpec {
  Kernel pilot;  ///< one kernel for all samples
  double alpha = kSquareRootLaw;
  Boundaries boundaries{};
  Grid grid;  ///< its box has the boundaries; unused without any

  friend bool operator==(const AdaptiveSpec&, const AdaptiveSpec&) = default;
};

/// Returns the cloud with per-sample bandwidth factors w_i = (f_i / g)^-alpha by Abramson (1982).
/// f_i is the density at sample i with the pilot kernel, the sample's own kernel included, summed
/// directly over all samples within reach. g is the weighted geometric mean of the f_i. Samples
/// beyond a face have factor 1, as they do not count. Throws Error(cancelled).
std::shared_ptr<const SampleCloud> adapted_cloud(const std::shared_ptr<const SampleCloud>& cloud,
                                                 const AdaptiveSpec& spec, int threads,
                                                 Progress& progress);

}  // namespace skde
