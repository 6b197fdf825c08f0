#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/grid.hpp"
#include "core/space.hpp"

namespace skde::test {

/// Samples, a bandwidth matrix and a grid: a density to compute, for any kernel function.
struct DensityCase {
  std::string name;
  Samples cloud;
  Symmetric3 H;
  Grid grid;

  double total_weight() const;
  double largest_weight() const;
};

/// The named cases that every engine is held to: shapes of kernels and of grids, samples in
/// unlikely places, weights, scales. The same numbers on every run.
std::vector<DensityCase> density_cases();
/// One of them; std::out_of_range where none has the name.
DensityCase named_case(std::string_view name);

/// A case drawn from the seed: any shape of grid, kernel, cloud and weights.
DensityCase random_case(std::uint64_t seed);

}  // namespace skde::test
