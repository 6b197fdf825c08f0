#include "core/kernel/cell_nodes.hpp"

#include <numbers>

namespace skde {
namespace {

/// Bound of the error of `n` nodes: factor n^-order roundness^-wide, or roundness^-thin below 1.
/// Fitted to lone kernels with half widths of 0.02 to 9 cells, of any orientation.
struct FittedError {
  double factor, order, wide, thin;
};

FittedError fitted_error(const Kernel& kernel) {
  constexpr FittedError kPowers[] = {
      {1.3, 2, 0, 0.5}, {0.4, 2.8, 1.2, 1.8}, {0.7, 4, 2.2, 3.5}, {2, 5, 3.5, 5}};
  if (const auto degree = kernel.function->degree) return kPowers[*degree];
  if (kernel.function->is_bounded()) return {1.8, 3, 1.2, 3.5};
  return {250 * std::pow(kernel.cut() / 20, 2.5), 3.3, 2.5, 2.5};
}

/// Returns the error of the rule for exp(-u^2 / 2) on an interval of this length, by the Gaussian's
/// largest derivative of order 2n (Abramowitz and Stegun 1972, 25.4.30).
double gaussian_error(int n, double length) {
  const double ln_2n = std::lgamma(2 * n + 1.0);
  return 2 * std::exp(2 * n * std::log(length) + 3 * std::lgamma(n + 1.0) - 2 * ln_2n -
                      std::log(2 * n + 1.0) - n * std::numbers::ln2);
}

/// Sets the rule of n nodes; they are the roots of a Legendre polynomial, by Newton's method.
void set_rule(int n, double* places, double* weights) {
  for (int i = 0; i < n; ++i) {
    double x = std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5)), slope = 1;
    for (int step = 0; step < 8; ++step) {
      double before = 0, value = 1;
      for (int k = 0; k < n; ++k) {
        const double next = ((2 * k + 1) * x * value - k * before) / (k + 1);
        before = value;
        value = next;
      }
      slope = n * (x * value - before) / (x * x - 1);
      x -= value / slope;
    }
    places[i] = x;
    weights[i] = 1 / ((1 - x * x) * slope * slope);
  }
}

/// Returns the error that averages may have. If none is asked for, it follows from what more nodes
/// cost: they gain much for a Gaussian, and little at the edge of a compact kernel. Errors of many
/// kernels have either sign, and mostly cancel.
double wanted_error(const Kernel& kernel) {
  constexpr double kOfGaussian = 1e-4, kOfOthers = 0.02;
  if (kernel.tolerance > 0) return kernel.tolerance / 2;
  return kernel.function == KernelFunction::gaussian ? kOfGaussian : kOfOthers;
}

}  // namespace

double cell_mean_error(const Kernel& kernel, int nodes, double roundness) {
  if (kernel.function == KernelFunction::gaussian)
    return std::min(1.0, gaussian_error(nodes, kernel.cut() / roundness));
  const FittedError fitted = fitted_error(kernel);
  return std::min(1.0, fitted.factor * std::pow(nodes, -fitted.order) *
                           std::pow(roundness, roundness < 1 ? -fitted.thin : -fitted.wide));
}

CellNodes<double> cell_nodes(const Kernel& kernel) {
  CellNodes<double> nodes{};
  constexpr double kGrowth = 1.02, kThinnest = 1e-3, kWidest = 1e3;
  for (int n = 1; n <= nodes.kMost; ++n) {
    set_rule(n, nodes.place + nodes.first(n), nodes.weight + nodes.first(n));
    double& least = nodes.least[n - 1] = kThinnest;
    while (least < kWidest && cell_mean_error(kernel, n, least) > wanted_error(kernel))
      least *= kGrowth;
  }
  nodes.mass = kernel.function->constant * std::pow(kernel.cut(), 3);
  if (const auto degree = kernel.function->degree) nodes.along_x = *degree + 1;
  return nodes;
}

std::string cell_mean_refusal(const Kernel& kernel, const Ellipsoid<double>& ellipsoid,
                              bool shaped) {
  constexpr double kMost = 0.1;
  if (kernel.function->is_bounded() || kernel.function == KernelFunction::gaussian) return "";
  if (!shaped && cell_mean_error(kernel, ellipsoid, false) <= kMost) return "";
  return "cells are too coarse for means of this kernel, which has a cusp";
}

double cell_mean_work(const Kernel& kernel, const Ellipsoid<double>& ellipsoid) {
  constexpr double kChord = 1.5;  // its ends need more operations than values do
  if (kernel.function == KernelFunction::gaussian && is_along_axes(ellipsoid)) return kChord;
  const CellNodes<double> nodes = cell_nodes(kernel);
  const int across = nodes.count(roundness<double>(ellipsoid));
  const int along = nodes.along_x == 2 ? 1 : nodes.along_x > 0 ? nodes.along_x : across;
  return kChord * across * across * along;
}

double cell_mean_error(const Kernel& kernel, const Ellipsoid<double>& ellipsoid, bool shaped) {
  constexpr double kThinBall = 0.5;
  if (shaped)
    return std::max(wanted_error(kernel),
                    cell_mean_error(kernel, CellNodes<double>::kMost, kThinBall));
  if (is_point(ellipsoid)) return 0;
  if (kernel.function == KernelFunction::gaussian && is_along_axes(ellipsoid)) return 0;
  const auto round = roundness<double>(ellipsoid);
  return cell_mean_error(kernel, cell_nodes(kernel).count(round), round);
}

}  // namespace skde
