#include "core/kernel_function.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/nearest_name.hpp"

namespace skde {
namespace {

double beta(double a, double b) { return std::tgamma(a) * std::tgamma(b) / std::tgamma(a + b); }

}  // namespace

std::string_view kernel_name(KernelFunction function) {
  switch (function) {
    case KernelFunction::uniform:
      return "uniform";
    case KernelFunction::epanechnikov:
      return "epanechnikov";
    case KernelFunction::biweight:
      return "biweight";
    case KernelFunction::triweight:
      return "triweight";
  }
  return "";
}

KernelFunction kernel_by_name(std::string_view name) {
  std::vector<std::string_view> names;
  for (KernelFunction function : kKernelFunctions) {
    if (kernel_name(function) == name) return function;
    names.push_back(kernel_name(function));
  }
  throw Error(ErrorKind::usage, fmt::format("unknown kernel '{}'", name),
              {"kernel", did_you_mean(name, names)});
}

double silverman_constant(KernelFunction function) {
  constexpr double d = 3, pi = std::numbers::pi;
  const double p = static_cast<int>(function), c = kernel_constant(function);
  const double roughness = c * c * 2 * pi * beta(1.5, 2 * p + 1);  // integral of k^2
  const double variance = c * (2 * pi / 3) * beta(2.5, p + 1);     // integral of x^2 k
  const double curvature = (d / 2 + d * d / 4) / std::pow(2 * std::sqrt(pi), d);  // of (lap phi)^2
  return std::pow(d * roughness / (variance * variance * curvature), 1 / (d + 4));
}

}  // namespace skde
