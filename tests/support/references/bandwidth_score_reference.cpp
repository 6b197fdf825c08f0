#include "support/references/bandwidth_score_reference.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include "support/references/direct_kernel.hpp"

namespace skde::test {
namespace {

double total_weight(const SamplesView& points) {
  double total = 0;
  for (std::size_t i = 0; i < points.size(); ++i) total += points.weight(i);
  return total;
}

double left_out_density(const SamplesView& points, const DirectKernel& kernel, std::size_t i) {
  double sum = 0;
  for (std::size_t j = 0; j < points.size(); ++j) {
    const Vec3 d = points.point(i) - points.point(j);
    if (j != i) sum += points.weight(j) * kernel.at({d.x, d.y, d.z});
  }
  return sum / (total_weight(points) - points.weight(i));
}

double hermite(int degree, double x) {
  double before = 1, now = x;
  if (degree == 0) return 1;
  for (int n = 1; n < degree; ++n) {
    const double next = x * now - n * before;
    before = now;
    now = next;
  }
  return now;
}

/// Sums the s-th power of the Laplacian of a Gaussian of deviation g over all pairs.
double laplacian_sum(const SamplesView& points, int s, double g) {
  double sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = 0; j < points.size(); ++j) {
      const Vec3 d = (1 / g) * (points.point(i) - points.point(j));
      const double phi = std::exp(-0.5 * (d.x * d.x + d.y * d.y + d.z * d.z)) /
                         std::pow(2 * std::numbers::pi, 1.5) / (g * g * g);
      double derivative = 0;  // of (d^2/dx^2 + d^2/dy^2 + d^2/dz^2)^s, term by term
      for (int a = 0; a <= s; ++a)
        for (int b = 0; a + b <= s; ++b) {
          const int c = s - a - b;
          const double times =
              std::tgamma(s + 1) / (std::tgamma(a + 1) * std::tgamma(b + 1) * std::tgamma(c + 1));
          derivative += times * hermite(2 * a, d.x) * hermite(2 * b, d.y) * hermite(2 * c, d.z);
        }
      sum += points.weight(i) * points.weight(j) * derivative * phi / std::pow(g, 2 * s);
    }
  return sum / std::pow(total_weight(points), 2);
}

/// Integrates f lap^4 f for a normal density with the samples' covariance, by quadrature over
/// frequencies.
double normal_eighth(const SamplesView& points) {
  const double total = total_weight(points);
  Vec3 mean{};
  for (std::size_t i = 0; i < points.size(); ++i)
    mean = mean + (points.weight(i) / total) * points.point(i);
  double c[3][3] = {};
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3 d = points.point(i) - mean;
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) c[a][b] += points.weight(i) / total * d[a] * d[b];
  }
  const double least = std::min({c[0][0], c[1][1], c[2][2]}) / 3, end = 9 / std::sqrt(least);
  constexpr int kPoints = 200;
  const double step = 2 * end / kPoints;
  double sum = 0;
  for (int i = 0; i < kPoints; ++i)
    for (int j = 0; j < kPoints; ++j)
      for (int k = 0; k < kPoints; ++k) {
        const double f[3] = {-end + (i + 0.5) * step, -end + (j + 0.5) * step,
                             -end + (k + 0.5) * step};
        double form = 0;
        for (int a = 0; a < 3; ++a)
          for (int b = 0; b < 3; ++b) form += f[a] * c[a][b] * f[b];
        sum += std::pow(f[0] * f[0] + f[1] * f[1] + f[2] * f[2], 4) * std::exp(-form);
      }
  return sum * std::pow(step / (2 * std::numbers::pi), 3);
}

/// The convolution of (1 - r^2)^degree with itself at the distance s: each sphere of radius r about
/// one centre takes the mean of the other kernel over it.
double convolution_of_power(int degree, double s) {
  const auto power = [](double q, int n) { return q < 1 ? std::pow(1 - q, n) : 0; };
  constexpr int kSteps = 2000;
  double sum = 0;
  for (int n = 0; n < kSteps; ++n) {
    const double r = (n + 0.5) / kSteps, least = std::max(s, 1e-5);
    const double mean = (power((r - least) * (r - least), degree + 1) -
                         power((r + least) * (r + least), degree + 1)) /
                        (4 * (degree + 1) * r * least);
    sum += 4 * std::numbers::pi * r * r * power(r * r, degree) * mean / kSteps;
  }
  return sum;
}

}  // namespace

double least_squares_by_pairs(const SamplesView& points, int degree, double h) {
  constexpr int kPlaces = 4000;  // of a table, up to the distance 2
  static std::map<int, std::vector<double>> tables;
  std::vector<double>& table = tables[degree];
  for (int n = 0; table.size() < kPlaces + 2; ++n)
    table.push_back(convolution_of_power(degree, 2.0 * n / kPlaces));
  const double volume =
      std::numbers::pi * std::tgamma(1.5) * std::tgamma(degree + 1) * 2 / std::tgamma(degree + 2.5);
  const double total = total_weight(points);
  double squares = 0, left_out = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = 0; j < points.size(); ++j) {
      const Vec3 d = (1 / h) * (points.point(i) - points.point(j));
      const double q = d.x * d.x + d.y * d.y + d.z * d.z, w = points.weight(i) * points.weight(j);
      if (q >= 4) continue;
      const double at = std::sqrt(q) * kPlaces / 2, part = at - std::floor(at);
      const auto n = static_cast<std::size_t>(at);
      squares += w * ((1 - part) * table[n] + part * table[n + 1]);
      if (i != j && q < 1) left_out += w / (total - points.weight(i)) * std::pow(1 - q, degree);
    }
  return (squares / (volume * volume * total * total) - 2 * left_out / (volume * total)) /
         (h * h * h);
}

double least_squares_reference(const SamplesView& points, KernelFunction kernel,
                               const Symmetric3& H, int n) {
  const DirectKernel direct(kernel, H);
  const double total = total_weight(points);
  const double reach = kernel == KernelFunction::gaussian ? 6 : 1;
  const std::array<double, 3> half{reach * std::sqrt(H.xx), reach * std::sqrt(H.yy),
                                   reach * std::sqrt(H.zz)};
  std::array<double, 3> lower{}, step{};
  for (int a = 0; a < 3; ++a) {
    double low = points.point(0)[a], high = low;
    for (std::size_t i = 0; i < points.size(); ++i) {
      low = std::min(low, points.point(i)[a]);
      high = std::max(high, points.point(i)[a]);
    }
    const auto axis = static_cast<std::size_t>(a);
    lower[axis] = low - half[axis];
    step[axis] = (high - low + 2 * half[axis]) / n;
  }
  double squares = 0;
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const Vec3 at{lower[0] + (i + 0.5) * step[0], lower[1] + (j + 0.5) * step[1],
                      lower[2] + (k + 0.5) * step[2]};
        double density = 0;
        for (std::size_t s = 0; s < points.size(); ++s) {
          const Vec3 d = at - points.point(s);
          if (std::abs(d.x) < half[0] && std::abs(d.y) < half[1] && std::abs(d.z) < half[2])
            density += points.weight(s) / total * direct.at({d.x, d.y, d.z});
        }
        squares += density * density;
      }
  double left_out = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    left_out += points.weight(i) / total * left_out_density(points, direct, i);
  return squares * step[0] * step[1] * step[2] - 2 * left_out;
}

double plug_in_reference(const SamplesView& points, double roughness, double variance) {
  double squares = 0;
  for (std::size_t i = 0; i < points.size(); ++i) squares += std::pow(points.weight(i), 2);
  const double n = std::pow(total_weight(points), 2) / squares;
  const double phi = std::pow(2 * std::numbers::pi, -1.5);
  const double outer = std::pow(2 * 105 * phi / (n * normal_eighth(points)), 1.0 / 11);
  const double sixth = laplacian_sum(points, 3, outer);  // negative
  const double inner = std::pow(-2 * 15 * phi / (n * sixth), 1.0 / 9);
  const double fourth = laplacian_sum(points, 2, inner);
  return std::pow(3 * roughness / (variance * variance * fourth * n), 1.0 / 7);
}

}  // namespace skde::test
