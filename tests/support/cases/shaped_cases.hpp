#pragma once

#include <cstdint>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/grid.hpp"
#include "core/kernel/kernel_function.hpp"
#include "core/problem.hpp"

namespace skde::test {

enum class ShapeForm : std::uint8_t { widths, shapes };

/// Samples with widths or shapes of their own.
struct ShapedCase {
  Samples cloud;
  Symmetric3 H;  ///< what widths multiply
  Grid grid;

  double total_weight() const;
  Problem problem(KernelFunction function, Precision precision) const;
};

/// Drawn from the seed: odd grids of unlike cells, 60 samples inside and around the box, kernels
/// whose longest half axes have any length between these, in cells; three seeds of four with
/// weights.
ShapedCase random_shaped_case(std::uint64_t seed, ShapeForm form, double least = 0.05,
                              double most = 200);

/// The lowest and highest values of a density in long double, straight from its definition: those
/// of the uniform kernel differ where q is too near 1 to be told in `precision`. x fastest.
struct ShapedReference {
  std::vector<double> low, high;
  double peak = 0;    ///< of the cells
  double summit = 0;  ///< of the kernels: thin ones may have theirs between cells' centres
};
ShapedReference shaped_reference(const ShapedCase& shaped, const Problem& problem);

/// The largest distance of a value from the reference.
double worst_distance(const std::vector<double>& values, const ShapedReference& reference);

}  // namespace skde::test
