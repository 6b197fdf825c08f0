#pragma once

#include <cstdint>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/kernel/kernel_function.hpp"
#include "core/problem.hpp"
#include "core/space/grid.hpp"

namespace skde::test {

enum class ShapeForm : std::uint8_t { widths, shapes };

/// Samples with per-sample bandwidth factors or shapes.
struct ShapedCase {
  Samples cloud;
  Symmetric3 H;  ///< bandwidth matrix to which factors apply
  Grid grid;

  double total_weight() const;
  Problem problem(KernelFunction function, Precision precision) const;
};

/// Returns a random case for the seed: odd grids of cells with unequal edges, 60 samples inside and
/// around the box, and kernels whose longest half axes are between `least` and `most`, in cells.
/// Three of four seeds have weights.
ShapedCase random_shaped_case(std::uint64_t seed, ShapeForm form, double least = 0.05,
                              double most = 200);

/// The lowest and highest values of a density in long double, by the definition; x fastest. They
/// differ for the uniform kernel where q is so close to 1 that `precision` cannot resolve the
/// difference.
struct ShapedReference {
  std::vector<double> low, high;
  double peak = 0;    ///< of the values in cells
  double summit = 0;  ///< of the kernels, whose peak may lie between centres
  /// Of the values and of the kernels that are not 0 in all cells. Kernels thinner than a cell have
  /// their peak, and with it the density's, between centres. Rounding q changes what such a kernel
  /// adds to a cell by a share of its own height, not of the little that the cell receives.
  double height = 0;
};
ShapedReference shaped_reference(const ShapedCase& shaped, const Problem& problem);

/// Returns the largest distance of a value from the reference.
double worst_distance(const std::vector<double>& values, const ShapedReference& reference);

}  // namespace skde::test
