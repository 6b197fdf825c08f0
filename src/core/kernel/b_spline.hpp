#pragma once

#include <cmath>
#include <numbers>
#include <type_traits>

#include "core/space/space.hpp"

namespace skde {

/// Computes the centred cardinal B-spline of even order M (degree M - 1) at the M nodes around a
/// point that lies `offset` in [0, 1) after a node. Counted from that node, values[i] belongs to
/// node i - M / 2 + 1. The values sum to 1. `slopes`, unless null, are their derivatives by the
/// offset.
template <int M, class Real>
SKDE_HOST_DEVICE inline void b_spline_values(Real offset, Real* values, Real* slopes = nullptr) {
  static_assert(M >= 2 && M % 2 == 0);
  values[0] = Real(1) - offset;
  values[1] = offset;
  // Raises the order step by step: each spline blends two of the order below (Cox and de Boor).
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (int order = 3; order <= M; ++order) {
    if (slopes && order == M)  // differences of the order below
      for (int i = 0; i < M; ++i)
        slopes[i] = (i > 0 ? values[i - 1] : Real(0)) - (i < M - 1 ? values[i] : Real(0));
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

/// Calls body(order) with the order 4, 6, 8, 10 or 12 as a compile-time constant.
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

/// Returns the Fourier transform of the spline of this order, at `frequency` in cycles per node.
inline double b_spline_transform(int order, double frequency) {
  const double angle = std::numbers::pi * frequency;
  return frequency == 0 ? 1 : std::pow(std::sin(angle) / angle, order);
}

}  // namespace skde
