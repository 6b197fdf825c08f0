#pragma once

#include <array>
#include <vector>

#include "core/volume.hpp"

namespace skde::test {

/// Distances of two volumes straight from their definitions, cell by cell in double; shares no code
/// with the analysis.
struct ComparisonReference {
  double mass_a = 0, mass_b = 0, overlap = 0, l1 = 0, l2 = 0, hellinger = 0;
  double kl_a_from_b = 0, kl_b_from_a = 0, only_a = 0, only_b = 0, jensen_shannon = 0;
  /// By moving the mass of one marginal piece by piece to the nearest room in the other.
  std::array<double, 3> earth_movers{};
};

/// `normalize`: each over its mass.
ComparisonReference compare_by_definition(const Volume& a, const Volume& b, bool normalize);

/// The value at a point, trilinear between the eight cell centres about it, one by one; outside of
/// the box 0, and next to its faces that of the nearest centres.
double trilinear_by_definition(const Volume& volume, Vec3 world);

}  // namespace skde::test
