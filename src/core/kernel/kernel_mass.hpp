#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "core/kernel/ellipsoid.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "core/space/space.hpp"

namespace skde {

/// The corners of a triangle, counter-clockwise when seen from outside.
using Triangle = std::array<Vec3, 3>;

/// A share of a kernel's mass, and its error.
struct KernelShare {
  double share = 0, error = 0;
};

/// Returns the ellipsoid of a kernel with this H in world units. Thin axes of per-sample shapes
/// would be lost in rounding, so they are kept a little wider.
Ellipsoid<double> ellipsoid_in_world(const Symmetric3& H, double cut);

/// Shares of a kernel's mass in boxes and other regions around its sample, for any H.
///
/// In the coordinates of the conditional factors the kernel is a ball and the box a parallelepiped.
/// Let M(r) be the integral of k s^2 up to r. The field x M(r) / r^3 has the divergence k, so the
/// mass is its flux through the faces, and the flux through a face is again a flux through its
/// edges. This leaves one integral along each edge: of a smooth function inside the ball, in closed
/// form outside. The result is within 1e-9 for every kernel of the table, in any orientation.
class KernelMass {
 public:
  /// The kernel ends at its cut; mass beyond it does not count. The tables of the most recently
  /// used kernels are kept, because making one takes longer than a small density.
  explicit KernelMass(const Kernel& kernel);

  /// Returns the share of a kernel with this ellipsoid in a box given relative to its sample, in
  /// the ellipsoid's units. Faces may be at infinity.
  double in_box(const Ellipsoid<double>& ellipsoid, const Box& box) const;
  /// Returns the share where normal . x > offset, relative to the sample.
  double beyond_plane(const Ellipsoid<double>& ellipsoid, Vec3 normal, double offset) const;
  /// Returns the share in the body within these triangles, which enclose it, relative to `sample`,
  /// in units of `width`. Faces that the kernel does not reach count by their solid angle.
  double in_mesh(const Ellipsoid<double>& ellipsoid, std::span<const Triangle> triangles,
                 Vec3 sample, double width) const;
  /// Returns the share in a sphere: the integral over directions of the mass along each ray, with
  /// as many directions as it takes for two results to agree. The error is their difference.
  KernelShare in_sphere(const Ellipsoid<double>& ellipsoid, Vec3 centre, double radius) const;

 private:
  /// The table that follows from the profile and its cut.
  struct Table {
    explicit Table(const Kernel& kernel);

    /// Values and slopes, at equal steps, of the integral of M(r) / r^2 from 0, as a function of
    /// r^2, or of r if the kernel has a cusp (`by_root`).
    bool by_root;
    std::vector<double> value, slope;
    std::vector<double> masses, growth;  ///< M(r) and its slope at equal steps of r
    double mass = 0;                     ///< M(1)
  };
  static std::shared_ptr<const Table> table_of(const Kernel& kernel);

  double below(double u) const;  ///< share below a plane at u, the ball's radius being 1
  double potential(double r2) const;
  double mass_within(double r) const;
  double triangle_flux(Vec3 a, Vec3 b, Vec3 c) const;
  double face_flux(const Vec3 (&corners)[4], Vec3 outwards) const;
  double edge_flux(double height, double distance, double from, double to) const;

  std::shared_ptr<const Table> table_;
};

}  // namespace skde
