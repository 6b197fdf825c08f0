#pragma once

#include <array>
#include <numbers>
#include <string_view>

#include "core/host_device.hpp"

namespace skde {

/// The bounded kernels k(q) = c_p (1 - q)^p on q < 1, q = u^T H^-1 u; the value is the power p.
enum class KernelFunction { uniform = 0, epanechnikov = 1, biweight = 2, triweight = 3 };

inline constexpr std::array kKernelFunctions{KernelFunction::epanechnikov, KernelFunction::uniform,
                                             KernelFunction::biweight, KernelFunction::triweight};

std::string_view kernel_name(KernelFunction function);
/// Throws Error(usage) that names the nearest kernel where the name is unknown.
KernelFunction kernel_by_name(std::string_view name);

/// c_p, so that the kernel integrates to 1 over the unit ball:
/// 1 / c_p = 2 pi B(3/2, p + 1).
constexpr double kernel_constant(KernelFunction function) {
  constexpr double pi = std::numbers::pi;
  switch (function) {
    case KernelFunction::uniform:
      return 3 / (4 * pi);
    case KernelFunction::epanechnikov:
      return 15 / (8 * pi);
    case KernelFunction::biweight:
      return 105 / (32 * pi);
    case KernelFunction::triweight:
      return 315 / (64 * pi);
  }
  return 0;
}

/// A = (h / n_eff^(-1/7)) of Silverman's rule: the bandwidth that minimises the asymptotic mean
/// integrated squared error for a normal density (Silverman 1986, eq. 4.14 and 4.15, d = 3).
/// 2.4912 for Epanechnikov.
double silverman_constant(KernelFunction function);

/// (1 - q)^p for q < 1 and 0 elsewhere, without the constant; branch-free so that rows vectorise.
template <KernelFunction F, class Real>
SKDE_HOST_DEVICE inline Real kernel_profile(Real q) {
  const Real t = Real(1) - q;
  if constexpr (F == KernelFunction::uniform) return t > Real(0) ? Real(1) : Real(0);
  const Real s = t > Real(0) ? t : Real(0);
  if constexpr (F == KernelFunction::epanechnikov) return s;
  if constexpr (F == KernelFunction::biweight) return s * s;
  return s * s * s;
}

/// Calls `body` with the kernel function as a compile-time constant:
/// with_kernel(f, [&]<KernelFunction F>() { ... }).
template <class Body>
decltype(auto) with_kernel(KernelFunction function, Body&& body) {
  switch (function) {
    case KernelFunction::uniform:
      return body.template operator()<KernelFunction::uniform>();
    case KernelFunction::biweight:
      return body.template operator()<KernelFunction::biweight>();
    case KernelFunction::triweight:
      return body.template operator()<KernelFunction::triweight>();
    case KernelFunction::epanechnikov:
      break;
  }
  return body.template operator()<KernelFunction::epanechnikov>();
}

}  // namespace skde
