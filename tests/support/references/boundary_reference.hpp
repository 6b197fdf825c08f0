#pragma once

#include <span>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/grid.hpp"
#include "core/kernel/kernel_function.hpp"
#include "core/space.hpp"

namespace skde::test {

inline constexpr auto kNone = Boundary::none, kReflect = Boundary::reflect,
                      kPeriodic = Boundary::periodic, kRenormalize = Boundary::renormalize;

/// Samples and their kernels in a box with boundaries.
struct BoundaryCase {
  Samples cloud;
  KernelFunction kernel;
  Symmetric3 H;  ///< of samples without shapes
  Grid grid;
  Boundaries boundaries{};
};

/// The density at the cells, x fastest, straight from the definition in double: the box is
/// repeated, or mirrored with all that is in it, to every side as far as kernels reach; a
/// Gaussian's seven deviations. Samples lie within a box's length of the box. Where it
/// renormalises, every kernel is divided by its integral over the box, a sum over 64 cells along
/// each axis.
std::vector<double> boundary_density(const BoundaryCase& of);
/// The same at places within the box.
std::vector<double> boundary_density_at(const BoundaryCase& of, std::span<const Vec3> places);
/// Kernel values that it computes, without samples' own shapes.
double boundary_density_work(const BoundaryCase& of);

}  // namespace skde::test
