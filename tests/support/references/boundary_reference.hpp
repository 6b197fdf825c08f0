#pragma once

#include <span>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/kernel/kernel_function.hpp"
#include "core/space/grid.hpp"
#include "core/space/space.hpp"

namespace skde::test {

inline constexpr auto kNone = Boundary::none, kReflect = Boundary::reflect,
                      kPeriodic = Boundary::periodic, kRenormalize = Boundary::renormalize;

/// Samples and their kernels in a box with boundaries.
struct BoundaryCase {
  Samples cloud;
  KernelFunction kernel;
  Symmetric3 H;  ///< for samples without shapes
  Grid grid;
  Boundaries boundaries{};
};

/// Returns the density in the cells, x fastest, by the definition in double. The box is repeated,
/// or mirrored with all its contents, on every side as far as kernels reach; for a Gaussian, seven
/// deviations. Samples lie within one box length of the box. With renormalisation, every kernel is
/// divided by its integral over the box, a sum over 64 cells along each axis.
std::vector<double> boundary_density(const BoundaryCase& of);
/// Returns the same at places within the box.
std::vector<double> boundary_density_at(const BoundaryCase& of, std::span<const Vec3> places);
/// Returns the number of kernel values that it computes, for samples without shapes.
double boundary_density_work(const BoundaryCase& of);

}  // namespace skde::test
