#pragma once

#include <memory>

#include "core/grid.hpp"
#include "core/problem.hpp"
#include "estimate/read/cloud.hpp"

namespace skde {

/// The alpha of Abramson's law that is taken where none is given.
inline constexpr double kSquareRootLaw = 0.5;

/// What widths that adapt to the density depend on besides the samples.
struct AdaptiveSpec {
  Kernel pilot;  ///< one for all samples
  double alpha = kSquareRootLaw;
  Boundaries boundaries{};
  Grid grid;  ///< whose box the boundaries are of; without any it does not matter

  friend bool operator==(const AdaptiveSpec&, const AdaptiveSpec&) = default;
};

/// The cloud with widths w_i = (f_i / g)^-alpha by Abramson (1982): f_i is the density at sample i
/// with the pilot kernel, the sample's own kernel included, summed directly over all samples within
/// reach, and g its geometric mean, weighted. Samples that lie beyond a face have width 1, as they
/// do not count. Throws Error(cancelled).
std::shared_ptr<const SampleCloud> adapted_cloud(const std::shared_ptr<const SampleCloud>& cloud,
                                                 const AdaptiveSpec& spec, int threads,
                                                 Progress& progress);

}  // namespace skde
