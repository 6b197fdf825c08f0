#pragma once

#include <memory>
#include <vector>

#include "core/kernel/ellipsoid.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "core/space.hpp"

namespace skde {

/// Shares of a kernel's mass in boxes about its sample, whatever its H is.
///
/// In the coordinates of the conditional factors the kernel is a ball and the box a parallelepiped.
/// Where M(r) is the integral of k s^2 up to r, the field x M(r) / r^3 has the divergence k, so
/// that the mass is its flux through the faces; and that through a face is again a flux through its
/// edges. What is left is an integral along each edge, of a smooth function inside the ball and in
/// closed form outside of it: within 1e-9 for every kernel of the table, however it is turned.
class KernelMass {
 public:
  /// The kernel ends at its cut; what lies beyond does not count. Of the kernels that were asked
  /// for last what they need is kept, as making it takes longer than a small density.
  explicit KernelMass(const Kernel& kernel);

  /// The share of a kernel with this ellipsoid in a box seen from its sample, in the ellipsoid's
  /// units; faces may be at infinity.
  double in_box(const Ellipsoid<double>& ellipsoid, const Box& box) const;

 private:
  /// What follows from the profile and its cut.
  struct Table {
    explicit Table(const Kernel& kernel);

    /// Of the integral of M(r) / r^2 from 0, by r^2, or by r where the kernel has a cusp: values
    /// and slopes at equal steps.
    bool by_root;
    std::vector<double> value, slope;
    double mass = 0;  ///< M(1)
  };
  static std::shared_ptr<const Table> table_of(const Kernel& kernel);

  double below(double u) const;  ///< a plane at u, with the ball's radius 1
  double potential(double r2) const;
  double face_flux(const Vec3 (&corners)[4], Vec3 outwards) const;
  double edge_flux(double height, double distance, double from, double to) const;

  std::shared_ptr<const Table> table_;
};

}  // namespace skde
