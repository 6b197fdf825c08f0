#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/kernel/kernel_shape.hpp"
#include "core/report/error.hpp"
#include "core/space/volume.hpp"

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

/// How much the two regions of highest density with a share of the mass inside the box overlap.
struct RegionOverlap {
  double mass = 0;                  ///< the share
  double volume = 0;                ///< of the intersection, in cubed units of the coordinates
  double share_a = 0, share_b = 0;  ///< of the volumes of the regions of a and b
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
  std::array<RegionOverlap, 2> regions{{{.mass = 0.5}, {.mass = 0.95}}};
  /// Utilisation distribution overlap index: the volume of the intersection of the regions of 95 %
  /// times the integral of a b over it, both scaled to mass 1. 1 for equal flat densities (Fieberg
  /// and Kochanny, Journal of Wildlife Management 69, 2005).
  double udoi = 0;
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

/// A density, not owned, with the standard errors of its values on the same cells.
struct SureDensity {
  const Volume& density;
  const Volume& errors;
  double samples;                  ///< n_eff
  double unit = 1;                 ///< what the values integrate to over all space
  std::optional<Kernel> kernel{};  ///< none if samples have kernels of their own
};

/// Cells where one density is above the other by more than chance.
struct SignificantRegion {
  double volume = 0;              ///< in cubed world units
  double mass_a = 0, mass_b = 0;  ///< of the two densities there
};

/// Where two densities differ by more than chance.
struct DensitySignificance {
  double level = 0;      ///< the chance that any cell of the box passes, if the densities are equal
  double threshold = 0;  ///< |z| of a cell that passes
  double largest = 0;    ///< the z of the largest |z|
  Vec3 place{};          ///< the centre of that cell
  SignificantRegion a_denser, b_denser;
};

/// Returns the difference of two densities of independent samples in units of its standard error,
/// cell by cell, and where it is more than chance. The error is that of equal densities, from the
/// squared kernels of both samples together; where it is 0, so is z. All volumes have the same
/// cells. With `normalize`, each density and its errors are divided by the mass of the density
/// inside the box. The threshold of |z| accounts for the looks at all cells by the expected Euler
/// characteristic of a Gaussian field as smooth as the kernels (Worsley et al., Human Brain Mapping
/// 4, 1996) or by the number of cells (Bonferroni), whichever is lower.
std::pair<Volume, DensitySignificance> density_significance(const SureDensity& a,
                                                            const SureDensity& b, bool normalize,
                                                            double level);

}  // namespace skde
