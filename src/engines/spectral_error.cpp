#include "engines/spectral_error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/kernel/b_spline.hpp"

namespace skde {
namespace {

constexpr double kStep = 0.05, kFewestNodes = 1, kMost = 9;  // nodes per deviation in the table
constexpr int kRows = 161;
constexpr double kMargin = 1.05;  // for the joint error of several axes

double power(double base, int exponent) {
  double result = 1;
  for (int k = 0; k < exponent; ++k) result *= base;
  return result;
}

/// Returns the sum of |phi(f + l) / phi(f)| = |f / (f + l)|^order over the aliases l of a frequency
/// f <= 1/2.
double aliases(int order, double f) {
  double sum = power(f / (1 - f), order) + power(f / (1 + f), order);
  for (int l = 2; l < 6; ++l) sum += power(f / (l - f), order) + power(f / (l + f), order);
  return sum;
}

/// Returns the error of a Gaussian with this many nodes per deviation: the integral over
/// frequencies of its transform times the relative error there, as a share of the integral of the
/// transform.
double gaussian_error(int order, double nodes, bool interpolated) {
  constexpr int kPoints = 200;
  const double rate = 2 * power(std::numbers::pi * nodes, 2);
  double sum = 0;
  for (int i = 0; i < kPoints; ++i) {
    const double f = 0.5 * (i + 0.5) / kPoints, alias = aliases(order, f);
    sum += std::exp(-rate * f * f) * (interpolated ? alias * (2 + alias) : alias);
  }
  const double all = std::sqrt(std::numbers::pi / rate);
  return 2 * sum * (0.5 / kPoints) / all + std::erfc(0.5 * std::sqrt(rate));
}

double gaussian_gain(int order, double nodes) {
  constexpr int kPoints = 200;
  const double rate = power(2 * std::numbers::pi * nodes, 2);
  double sum = 0, all = 0;
  for (int i = 0; i < kPoints; ++i) {
    const double f = 0.5 * (i + 0.5) / kPoints, share = std::exp(-rate * f * f);
    sum += share / power(b_spline_transform(order, f), 2);
    all += share;
  }
  return sum / all;
}

using Rows = std::array<double, kRows>;

struct GaussianTable {
  std::array<std::array<Rows, 2>, std::size(kSplineOrders)> errors{};
  std::array<Rows, std::size(kSplineOrders)> gains{};

  GaussianTable() {
    for (std::size_t m = 0; m < errors.size(); ++m)
      for (std::size_t way = 0; way < 2; ++way)
        for (int row = 0; row < kRows; ++row)
          errors[m][way][static_cast<std::size_t>(row)] =
              gaussian_error(kSplineOrders[m], kFewestNodes + kStep * row, way == 1);
    for (std::size_t m = 0; m < gains.size(); ++m)
      for (int row = 0; row < kRows; ++row)
        gains[m][static_cast<std::size_t>(row)] =
            gaussian_gain(kSplineOrders[m], kFewestNodes + kStep * row);
  }

  static const GaussianTable& get() {
    static const GaussianTable table;
    return table;
  }
};

std::size_t order_index(int order) {
  return static_cast<std::size_t>(std::ranges::find(kSplineOrders, order) - kSplineOrders);
}

std::size_t row_of(double nodes) {
  return static_cast<std::size_t>((std::min(nodes, kMost) - kFewestNodes) / kStep);
}

double tabled_error(int order, double nodes, bool interpolated) {
  if (!(nodes >= kFewestNodes)) return std::numeric_limits<double>::infinity();
  return GaussianTable::get().errors[order_index(order)][interpolated ? 1 : 0][row_of(nodes)];
}

/// Error of (1 - q)^degree: what its edge leaves beyond the nodes' frequencies, whatever the
/// splines. Fitted to lone samples at 4 to 24 nodes per half width, and doubled.
double rough_error(int degree, double nodes) {
  constexpr double kFitted[] = {0.17, 0.19, 0.27};
  if (degree < 1 || degree > 3 || !(nodes >= 4)) return std::numeric_limits<double>::infinity();
  return kFitted[degree - 1] / power(nodes, degree);
}

}  // namespace

double spectral_error(KernelFunction function, int order, double nodes, bool interpolated) {
  if (!function->is_bounded()) return kMargin * tabled_error(order, nodes, interpolated);
  return rough_error(function->degree.value_or(0), nodes);
}

double spectral_gain(int order, double nodes) {
  if (!(nodes >= kFewestNodes)) return std::numeric_limits<double>::infinity();
  return GaussianTable::get().gains[order_index(order)][row_of(nodes)];
}

}  // namespace skde
