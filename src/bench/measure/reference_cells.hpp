#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/problem.hpp"
#include "core/report/progress.hpp"
#include "core/volume.hpp"

namespace skde::bench {

/// The density in double at some cells of the grid, or of the points, straight from its definition,
/// f(g) = c / (W sqrt(det H)) sum_i w_i k(q_i), the Gaussian as far as anything is left of it;
/// shares no code with the engines but the profile.
struct ReferenceCells {
  std::vector<std::int64_t> cells;  ///< their places in the volume, x fastest; or numbers of points
  std::vector<double> density;
  /// By how much each density may differ where samples lie so near to the edge of the uniform
  /// kernel, where it jumps, that rounding decides whether they count; 0 for the other kernels.
  std::vector<double> doubt;
  double peak = 0;  ///< largest of the densities
};

/// Throws Error(cancelled) where the progress says so.
ReferenceCells make_reference_cells(const SamplesView& points, const Problem& problem,
                                    std::vector<std::int64_t> cells, const Progress& progress);

/// Cells to check a density at: half of them anywhere in the grid, half at samples, where the
/// density is not 0, and the largest of `volume`. Without repetitions, sorted.
std::vector<std::int64_t> choose_cells(const SamplesView& points, const Volume& volume,
                                       std::size_t count, std::uint64_t seed);

/// The largest difference of the volume to the reference beyond its doubt, as a share of the peak;
/// infinite where a value is not finite.
double largest_error(const Volume& volume, const ReferenceCells& reference);

/// The largest difference of two volumes on one grid as a share of the largest value of `expected`;
/// infinite where a value is not finite.
double largest_difference(const Volume& volume, const Volume& expected);

}  // namespace skde::bench
