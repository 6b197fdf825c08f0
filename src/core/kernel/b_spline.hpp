#pragma once

#include <cmath>
#include <numbers>
#include <type_traits>

#include "core/space.hpp"

namespace skde {

/// The centred cardinal B-spline of even order M, of degree M - 1: its values at the M nodes around
/// a point that lies `offset` in [0, 1) behind a node. values[i] is that of node i - M / 2 + 1,
/// counted from there. They sum up to 1.
template <int M, class Real>
SKDE_HOST_DEVICE inline void b_spline_values(Real offset, Real* values) {
  static_assert(M >= 2 && M % 2 == 0);
  values[0] = Real(1) - offset;
  values[1] = offset;
  // From order to order, each a blend of two splines of the one below (Cox and de Boor).
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (int order = 3; order <= M; ++order) {
    const Real share = Real(1) / static_cast<Real>(order - 1);
    values[order - 1] = share * offset * values[order - 2];
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int i = order - 2; i > 0; --i)
      values[i] = share * ((offset + static_cast<Real>(order - 1 - i)) * values[i - 1] +
                           (static_cast<Real>(i + 1) - offset) * values[i]);
    values[0] = share * (Real(1) - offset) * values[0];
  }
}

/// Calls body(order) with the order as a constant: 4, 6, 8, 10 or 12.
template <class Body>
void with_spline_order(int order, Body&& body) {
  switch (order) {
    case 4:
      return body(std::integral_constant<int, 4>());
    case 6:
      return body(std::integral_constant<int, 6>());
    case 8:
      return body(std::integral_constant<int, 8>());
    case 10:
      return body(std::integral_constant<int, 10>());
    default:
      return body(std::integral_constant<int, 12>());
  }
}

/// Fourier transform of the spline of that order, at `frequency` in cycles a node.
inline double b_spline_transform(int order, double frequency) {
  const double angle = std::numbers::pi * frequency;
  return frequency == 0 ? 1 : std::pow(std::sin(angle) / angle, order);
}

}  // namespace skde
