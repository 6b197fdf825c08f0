#include "bandwidth/plug_in_bandwidth.hpp"

#include <fmt/core.h>

#include <cmath>
#include <numbers>

#include "bandwidth/pair_source.hpp"
#include "core/kernel/kernel_profiles.hpp"
#include "core/report/error.hpp"
#include "engines/cpu/ranges/round_space.hpp"

namespace skde {
namespace {

/// Returns the cloud's covariance in the space in which S is the unit matrix.
Symmetric3 covariance_in(const Symmetric3& S, const Symmetric3& covariance) {
  const RoundSpace space(S, {});
  const Vec3 columns[3] = {space({1, 0, 0}), space({0, 1, 0}), space({0, 0, 1})};
  const auto entry = [&](int a, int b) {
    double sum = 0;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) sum += columns[i][a] * covariance(i, j) * columns[j][b];
    return sum;
  };
  return {entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)};
}

/// Returns the integral of f lap^4 f for a normal density. Over frequencies it is the integral of
/// |k|^8 exp(-k^T C k) / (2 pi)^3, a moment of a quadratic form of normal variables.
double normal_curvature(const Symmetric3& covariance) {
  double determinant = 1, power_sums[5] = {};
  for (const double value : eigen_decomposition(covariance).values) {
    determinant *= value;
    for (int s = 1; s <= 4; ++s) power_sums[s] += std::pow(1 / (2 * value), s);
  }
  const double k1 = power_sums[1], k2 = 2 * power_sums[2], k3 = 8 * power_sums[3],
               k4 = 48 * power_sums[4];  // cumulants
  const double moment = k4 + 4 * k3 * k1 + 3 * k2 * k2 + 6 * k2 * k1 * k1 + k1 * k1 * k1 * k1;
  return moment / std::sqrt(std::pow(4 * std::numbers::pi, 3) * determinant);
}

double require_positive(double value) {
  if (value > 0 && std::isfinite(value)) return value;
  throw Error(ErrorKind::input,
              fmt::format("the plug-in rule finds no curvature of the density ({:.3g})", value),
              {"bandwidth", "use `bandwidth=lcv` or `bandwidth=silverman`"});
}

}  // namespace

PlugIn plug_in_bandwidth(const ScoredSamples& cloud, const Moments& moments,
                         const Symmetric3& spread, Progress& progress) {
  const double n = moments.effective_samples(), height = GaussianProfile::kConstant;
  PairSource pairs(cloud);
  PlugIn result;
  const double eighth = normal_curvature(covariance_in(cloud.S, spread));
  result.outer_pilot = std::pow(2 * 105 * height / (n * require_positive(eighth)), 1.0 / 11);
  const double sixth = require_positive(pairs.laplacian(3, result.outer_pilot, progress));
  result.pilot = std::pow(2 * 15 * height / (n * sixth), 1.0 / 9);
  result.curvature = require_positive(pairs.laplacian(2, result.pilot, progress));
  const double variance = cloud.kernel->variance;
  result.h =
      std::pow(3 * cloud.kernel->roughness / (variance * variance * result.curvature * n), 1.0 / 7);
  return result;
}

double asymptotic_error(const PlugIn& plug_in, const ScoredSamples& cloud, double n_eff, double h) {
  const double spread = h * h * cloud.kernel->variance;
  return (cloud.kernel->roughness / (n_eff * h * h * h) +
          0.25 * spread * spread * plug_in.curvature) /
         RoundSpace(cloud.S, {}).volume();
}

}  // namespace skde
