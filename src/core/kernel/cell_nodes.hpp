#pragma once

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "core/kernel/ellipsoid.hpp"
#include "core/kernel/kernel_shape.hpp"

namespace skde {

/// Gauss-Legendre nodes of the averages of kernels over cells. An interval of a cell along z is
/// cropped to the kernel; at each of its nodes the one along y is, and then the one along x. What
/// is summed is therefore smooth, but for the edges between cells along x.
template <class Real>
struct CellNodes {
  static constexpr int kMost = 12;  ///< nodes along an axis

  /// The rules of 1 to kMost nodes, one after another, for intervals of half length 1. The weights
  /// of a rule sum to 1.
  Real place[kMost * (kMost + 1) / 2], weight[kMost * (kMost + 1) / 2];
  Real least[kMost];  ///< the least roundness at which a rule keeps to the error
  Real mass;          ///< of k(q) over the unit ball of the ellipsoid, as a factor on the weight
  int along_x;        ///< nodes that integrate a row of a polynomial exactly; 0: as many as across

  template <class Other>
  CellNodes<Other> cast() const {
    CellNodes<Other> other{};
    std::copy(std::begin(place), std::end(place), other.place);
    std::copy(std::begin(weight), std::end(weight), other.weight);
    std::copy(std::begin(least), std::end(least), other.least);
    other.mass = static_cast<Other>(mass);
    other.along_x = along_x;
    return other;
  }

  static SKDE_HOST_DEVICE int first(int nodes) { return nodes * (nodes - 1) / 2; }
  /// Returns how many nodes along y and z an ellipsoid needs; at least 2, which keep the mass.
  SKDE_HOST_DEVICE int count(Real roundness) const {
    int nodes = 2;
    while (nodes < kMost && roundness < least[nodes - 1]) ++nodes;
    return nodes;
  }
};

/// Returns the half extents of an ellipsoid with these factors.
template <class Real, class Factors>
SKDE_HOST_DEVICE inline void find_extents(const Factors& e, Real (&extents)[3]) {
  const Real sx = 1 / e.inv_sx, sy = 1 / e.inv_sy, sz = 1 / e.inv_sz;
  const Real xy = e.bxy * sy, xz = (e.bxy * e.bzy + e.bxz) * sz, yz = e.bzy * sz;
  extents[0] = std::sqrt(sx * sx + xy * xy + xz * xz);
  extents[1] = std::sqrt(sy * sy + yz * yz);
  extents[2] = sz;
}

/// Returns the least ratio, over the axes, of a kernel's half width with the other two coordinates
/// fixed to the intervals that are integrated: a cell, or the whole kernel if that is shorter.
template <class Real, class Factors>
SKDE_HOST_DEVICE inline Real roundness(const Factors& e) {
  Real extents[3];
  find_extents(e, extents);
  const Real ay = e.bxy * e.inv_sx, az = e.bxz * e.inv_sx, bz = e.bzy * e.inv_sy;
  const Real inverse[3] = {e.inv_sx, std::sqrt(e.inv_sy * e.inv_sy + ay * ay),
                           std::sqrt(e.inv_sz * e.inv_sz + bz * bz + az * az)};
  Real most = 0;
  for (int axis = 0; axis < 3; ++axis)
    most = std::fmax(most, std::fmin(Real(1), 2 * extents[axis]) * inverse[axis]);
  return 1 / most;
}

/// Returns the integral of a profile along x over the part of a cell in a chord of the kernel. The
/// cell begins at `from` relative to the chord's middle; outer = u1^2 + u2^2.
template <class Real, class Profile>
SKDE_HOST_DEVICE inline Real integral_along(const CellNodes<Real>& nodes, int along,
                                            const Profile& profile, Real from, Real half,
                                            Real outer, Real inv_sx) {
  // Relative to the cell, so that the length of one in the middle of a wide kernel is exact.
  const Real low = -(half + from), high = half - from;
  const Real begin = low > Real(0) ? low : Real(0), end = high < Real(1) ? high : Real(1);
  const Real length = end > begin ? end - begin : Real(0), middle = from + (begin + end) / 2;
  Real mean = 0;
  if constexpr (Profile::kDegree == 1) {
    mean = 1 - outer - (middle * middle + length * length / 12) * (inv_sx * inv_sx);
  } else {
    const int first = nodes.first(along);
    for (int i = first; i < first + along; ++i) {
      const Real u0 = (middle + length / 2 * nodes.place[i]) * inv_sx;
      mean += nodes.weight[i] * profile.value(outer + u0 * u0);
    }
  }
  return length * mean;
}

/// Returns the largest error of an average with so many nodes across, as a share of the largest
/// average of the kernel.
double cell_mean_error(const Kernel& kernel, int nodes, double roundness);

/// Returns the nodes by which averages keep to half of the kernel's tolerance, if they can.
CellNodes<double> cell_nodes(const Kernel& kernel);

/// Returns the error with these nodes for kernels with this ellipsoid or, if samples have shapes of
/// their own, for all that are not needles.
double cell_mean_error(const Kernel& kernel, const Ellipsoid<double>& ellipsoid, bool shaped);

/// Returns why averages of a kernel with a cusp and long tails are not taken: cells are so coarse
/// that the nodes miss the cusp. Empty if they are.
std::string cell_mean_refusal(const Kernel& kernel, const Ellipsoid<double>& ellipsoid,
                              bool shaped);

/// Returns about how many evaluations of values cost as much as an average.
double cell_mean_work(const Kernel& kernel, const Ellipsoid<double>& ellipsoid);

/// True if a kernel is so thin that it lies in the one cell that holds its sample.
SKDE_HOST_DEVICE inline bool is_point(const Ellipsoid<double>& e) {
  constexpr double kThin = 1e-6;  // of a cell
  return std::fmax(std::fmax(e.rx, e.ry), e.sz) <= kThin;
}

/// True if averages are products of differences of the error function: for a Gaussian along the
/// axes.
template <class Factors>
SKDE_HOST_DEVICE inline bool is_along_axes(const Factors& e) {
  return e.bxy == 0 && e.bxz == 0 && e.bzy == 0;
}

}  // namespace skde
