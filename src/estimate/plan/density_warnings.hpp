#pragma once

#include <cstdint>
#include <vector>

#include "core/report/error.hpp"
#include "core/space/grid.hpp"
#include "estimate/values/density_facts.hpp"
#include "estimate/values/request.hpp"

namespace skde {

/// Returns what may mislead in a density, once all its facts are known.
std::vector<Warning> density_warnings(const DensityRequest& request, const DensityFacts& facts);

/// Adds a warning if the file has an index that is not used.
void warn_of_index(const DensityDecisions& plan, std::vector<Warning>& warnings);

/// Adds a warning if some samples lie beyond a face at which the box ends.
void warn_of_samples_beyond(std::uint64_t beyond, std::uint64_t samples,
                            const Boundaries& boundaries, std::vector<Warning>& warnings);

/// Adds a warning if values are of another type than requested.
void warn_of_precision(const DensityRequest& request, const DensityFacts& facts,
                       std::vector<Warning>& warnings);

/// Adds a warning if values are off by much more than the requested tolerance.
void warn_of_tolerance(double tolerance, double error_bound, Precision precision,
                       std::vector<Warning>& warnings);

/// Adds a warning if cells are too coarse for the kernels: their values do not sum to the kernels'
/// integral.
void warn_of_mass(const DensityFacts& facts, std::vector<Warning>& warnings);

/// Adds a warning if a kernel that all samples share is narrower than the cells along some
/// direction, even where sums over the cells keep the mass.
void warn_of_narrow(const Kernel& kernel, const Grid& grid, std::vector<Warning>& warnings);

}  // namespace skde
