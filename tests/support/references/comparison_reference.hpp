#pragma once

#include <array>
#include <vector>

#include "core/space/volume.hpp"

namespace skde::test {

/// Distances of two volumes by their definitions, cell by cell in double. Shares no code with the
/// analysis.
struct ComparisonReference {
  double mass_a = 0, mass_b = 0, overlap = 0, l1 = 0, l2 = 0, hellinger = 0;
  double kl_a_from_b = 0, kl_b_from_a = 0, only_a = 0, only_b = 0, jensen_shannon = 0;
  /// By moving the mass of one marginal piece by piece to the other.
  std::array<double, 3> earth_movers{};
};

/// With `normalize`, each volume is divided by its mass.
ComparisonReference compare_by_definition(const Volume& a, const Volume& b, bool normalize);

/// Returns the value at a point, trilinear between the eight cell centres around it. It is 0
/// outside the box, and between a face and the nearest centres it has their value.
double trilinear_by_definition(const Volume& volume, Vec3 world);

}  // namespace skde::test
