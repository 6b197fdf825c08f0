#pragma once

#include <cstdint>
#include <vector>

#include "core/grid.hpp"
#include "core/report/warning.hpp"
#include "estimate/density_facts.hpp"
#include "estimate/request.hpp"

namespace skde {

/// What may mislead in a density, once all its facts are known.
std::vector<Warning> density_warnings(const DensityRequest& request, const DensityFacts& facts);

/// Adds a warning where some of the samples have no place in the box.
void warn_of_samples_beyond(std::uint64_t beyond, std::uint64_t samples,
                            const Boundaries& boundaries, std::vector<Warning>& warnings);

/// The same where values are of another type than was asked for.
void warn_of_precision(const DensityRequest& request, const DensityFacts& facts,
                       std::vector<Warning>& warnings);

/// The same where values are off by much more than the tolerance that was asked for.
void warn_of_tolerance(double tolerance, double error_bound, Precision precision,
                       std::vector<Warning>& warnings);

/// The same where cells are too coarse for the kernels: their values sum to something else than the
/// kernels' integral.
void warn_of_mass(const DensityFacts& facts, std::vector<Warning>& warnings);

}  // namespace skde
