#pragma once

#include <vector>

#include "mixture/fit_target.hpp"

namespace skde {

/// Moves members to less squared error over the cells, by Adam with rates that fall along a cosine
/// (Loshchilov and Hutter, 2017). From time to time it moves members to where the error is. Returns
/// what they reach, and the steps done.
FitFacts fit_by_gradient(const FitTarget& target, const FitSpec& spec, Device device,
                         std::vector<Member>& members, Progress& progress, const FitWatch& watch);

/// Moves members to more likelihood of the samples, by expectation-maximisation. Members that lose
/// their mass take half of the heaviest one's. Returns what they reach, and the steps done.
FitFacts fit_by_likelihood(const FitTarget& target, const FitSpec& spec, Device device,
                           std::vector<Member>& members, Progress& progress, const FitWatch& watch);

}  // namespace skde
