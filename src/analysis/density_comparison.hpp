#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/report/warning.hpp"
#include "core/volume.hpp"

namespace skde {

/// A volume that is compared, and its name for messages; the volume belongs to someone else.
struct ComparedDensity {
  const Volume& volume;
  std::string name;
};

/// The Kullback-Leibler divergence of p from q, the integral of p ln(p / q), over the cells where
/// it is defined: those with q above 0.
struct Divergence {
  double value = 0;           ///< in nats
  double undefined_mass = 0;  ///< of p where q is 0; where there is any, the whole is infinite
};

/// How alike two densities on one grid are. All are sums over the cells times a cell's volume, in
/// double, with the same bits for any number of threads; they are off by rounding alone, less than
/// 1e-12 of the masses. `a` and `b` are the values, or these over their masses where so is asked.
struct DensityComparison {
  double mass_a = 0, mass_b = 0;  ///< inside the box, before they are normalised
  bool normalized = false;        ///< both were divided by their masses
  double overlap = 0;             ///< integral of min(a, b)
  double l1 = 0;                  ///< integral of |a - b|
  double l2 = 0;                  ///< root of the integral of (a - b)^2
  double largest = 0;             ///< largest |a - b|
  double hellinger = 0;           ///< root of half the integral of (sqrt(a) - sqrt(b))^2
  Divergence a_from_b, b_from_a;
  /// Half the divergences of a and of b from their mean, in nats: always defined.
  double jensen_shannon = 0;
  /// Earth mover's distances of the marginals along x, y and z, each scaled to mass 1: integrals of
  /// the difference of their cumulative sums, in units of the coordinates.
  std::array<double, 3> earth_movers{};
};

/// True where both grids have the same cells: as many of them, whose places agree within a 1e-5 of
/// a cell, which is what files that store rounded numbers are off by.
bool have_same_cells(const Grid& a, const Grid& b);

/// Compares two densities; `normalize`: each over its mass inside the box. Error(input) where the
/// grids differ, or a value is below 0 or not finite, or a density is 0 everywhere.
DensityComparison compare_densities(const ComparedDensity& a, const ComparedDensity& b,
                                    bool normalize);

/// What may mislead in a comparison: masses that differ.
std::vector<Warning> comparison_warnings(const DensityComparison& comparison);

}  // namespace skde
