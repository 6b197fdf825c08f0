#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/report/warning.hpp"
#include "core/volume.hpp"

namespace skde {

/// A volume to compare, not owned, and its name for messages.
struct ComparedDensity {
  const Volume& volume;
  std::string name;
};

/// The Kullback-Leibler divergence of p from q, the integral of p ln(p / q), over the cells with q
/// above 0, where it is defined.
struct Divergence {
  double value = 0;           ///< in nats
  double undefined_mass = 0;  ///< mass of p where q is 0; if not 0, the whole is infinite
};

/// Measures of how alike two densities on one grid are. All are sums over the cells times a cell's
/// volume, in double, with the same bits for any number of threads. Their error is only rounding,
/// less than 1e-12 of the masses. `a` and `b` are the values or, if requested, the values over
/// their masses.
struct DensityComparison {
  double mass_a = 0, mass_b = 0;  ///< inside the box, before normalisation
  bool normalized = false;        ///< both were divided by their masses
  double overlap = 0;             ///< integral of min(a, b)
  double l1 = 0;                  ///< integral of |a - b|
  double l2 = 0;                  ///< root of the integral of (a - b)^2
  double largest = 0;             ///< largest |a - b|
  double hellinger = 0;           ///< root of half the integral of (sqrt(a) - sqrt(b))^2
  Divergence a_from_b, b_from_a;
  /// Mean of the divergences of a and of b from (a + b) / 2, in nats; always defined.
  double jensen_shannon = 0;
  /// Earth mover's distances of the marginals along x, y and z, each scaled to mass 1: integrals of
  /// the absolute difference of their cumulative sums, in units of the coordinates.
  std::array<double, 3> earth_movers{};
};

/// True if both grids have the same number of cells, at places that agree within 1e-5 of a cell.
/// Files that store rounded numbers differ by that much.
bool have_same_cells(const Grid& a, const Grid& b);

/// Compares two densities; with `normalize`, each is divided by its mass inside the box. Throws
/// Error(input) if the grids differ, if a value is below 0 or not finite, or if a density is 0
/// everywhere.
DensityComparison compare_densities(const ComparedDensity& a, const ComparedDensity& b,
                                    bool normalize);

/// Returns warnings about what may mislead in a comparison: masses that differ.
std::vector<Warning> comparison_warnings(const DensityComparison& comparison);

}  // namespace skde
