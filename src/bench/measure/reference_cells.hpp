#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/problem.hpp"
#include "core/report/progress.hpp"
#include "core/space/volume.hpp"

namespace skde::bench {

/// The density in double at some cells of the grid, or at some points, straight from its
/// definition: f(g) = c / (W sqrt(det H)) sum_i w_i k(q_i). The Gaussian is summed as far as
/// anything is left of it. Shares no code with the engines except the profile.
struct ReferenceCells {
  std::vector<std::int64_t> cells;  ///< indices in the volume, x fastest; or numbers of points
  std::vector<double> density;
  /// How much each density may differ because the uniform kernel jumps at its edge: rounding
  /// decides whether samples near it count. 0 for other kernels.
  std::vector<double> doubt;
  double peak = 0;  ///< the largest density
};

/// Throws Error(cancelled) if the user cancels.
ReferenceCells make_reference_cells(const SamplesView& points, const Problem& problem,
                                    std::vector<std::int64_t> cells, const Progress& progress);

/// Chooses cells to check a density at: half of them random, half at samples, where the density is
/// not 0, plus the largest of `volume`. Sorted and unique.
std::vector<std::int64_t> choose_cells(const SamplesView& points, const Volume& volume,
                                       std::size_t count, std::uint64_t seed);

/// Returns the largest difference between volume and reference beyond its doubt, as a share of the
/// peak; infinity if a value is not finite.
double largest_error(const Volume& volume, const ReferenceCells& reference);

/// Returns the largest difference of two volumes on one grid, as a share of the largest value of
/// `expected`; infinity if a value is not finite.
double largest_difference(const Volume& volume, const Volume& expected);

}  // namespace skde::bench
