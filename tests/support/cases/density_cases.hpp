#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/space/grid.hpp"
#include "core/space/space.hpp"

namespace skde::test {

/// Samples, a bandwidth matrix and a grid: a density to compute, with any kernel function.
struct DensityCase {
  std::string name;
  Samples cloud;
  Symmetric3 H;
  Grid grid;

  double total_weight() const;
  double largest_weight() const;
};

/// Returns the named cases that every engine must pass: shapes of kernels and of grids, samples in
/// unlikely places, weights, scales. The numbers are the same in every run.
std::vector<DensityCase> density_cases();
/// Returns one of them. Throws std::out_of_range if there is none of this name.
DensityCase named_case(std::string_view name);

/// Returns a random case for the seed, with any shape of grid, kernel, cloud and weights.
DensityCase random_case(std::uint64_t seed);

}  // namespace skde::test
