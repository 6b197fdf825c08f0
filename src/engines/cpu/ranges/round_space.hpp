#pragma once

#include "core/kernel/kernel_shape.hpp"

namespace skde {

/// Maps world units to the space in which a matrix S is the unit matrix. H = h^2 S is a ball of
/// radius h there.
class RoundSpace {
 public:
  /// Places are relative to `origin`, which keeps the digits of coordinates that are far from 0.
  RoundSpace(const Symmetric3& matrix, Vec3 origin)
      : ellipsoid_(make_ellipsoid(matrix, Grid{{}, {1, 1, 1}, {1, 1, 1}})), origin_(origin) {}

  Vec3 operator()(Vec3 world) const {
    const Vec3 d = world - origin_;
    const Ellipsoid<double>& e = ellipsoid_;
    return {(d.x - e.bxy * d.y - e.bxz * d.z) * e.inv_sx, (d.y - e.bzy * d.z) * e.inv_sy,
            d.z * e.inv_sz};
  }
  /// World volume of a unit of volume of this space: sqrt(det S).
  double volume() const { return ellipsoid_.sx * ellipsoid_.sy * ellipsoid_.sz; }

 private:
  Ellipsoid<double> ellipsoid_;
  Vec3 origin_;
};

}  // namespace skde
