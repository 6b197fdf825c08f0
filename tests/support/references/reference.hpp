#pragma once

#include <array>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/kernel/kernel_function.hpp"
#include "core/space/grid.hpp"
#include "core/space/space.hpp"

namespace skde::test {

/// The lowest and highest possible density of each cell.
struct Bracket {
  std::vector<double> low, high;
};

/// The density by its definition, f(g) = 1 / (W sqrt(det H)) sum_i w_i k((g - x_i)^T H^-1 (g -
/// x_i)), at every cell centre, for all kernel functions at once. Shares no code with the formulas
/// in core.
struct Reference {
  /// One vector per kernel; x fastest.
  std::vector<std::vector<double>> density;
  /// The uniform kernel jumps at q = 1, so samples with |q - 1| < q_margin may count or not. The
  /// bounds of its density, by precision (f32, f64).
  std::array<Bracket, 2> uniform;

  /// Throws std::invalid_argument if the reference does not know the kernel.
  const std::vector<double>& of(KernelFunction function) const;
  const Bracket& uniform_in(Precision precision) const {
    return uniform[static_cast<std::size_t>(precision)];
  }
  double peak(KernelFunction function) const;
};

Reference make_reference(const SamplesView& points, const Symmetric3& H, const Grid& grid,
                         double total_weight);

/// Returns the largest error of q near 1 in an engine that computes in cell units with this
/// precision.
double q_margin(const Symmetric3& H, const Grid& grid, Precision precision);

/// Returns the density of one sample of this weight at its own place: k(0) w / (W sqrt(det H)).
double peak_of_one_kernel(KernelFunction function, const Symmetric3& H, double weight,
                          double total_weight);

}  // namespace skde::test
