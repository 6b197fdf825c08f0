#pragma once

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <random>
#include <string>
#include <vector>

namespace skde::test {

/// Gaussian splats as in trained scenes, and their sums by the definition. Each is a normal
/// distribution with covariance R diag(exp(scale)^2) R^T and weight 1 / (1 + exp(-opacity)). Shares
/// no code with the library.
class SplatScene {
 public:
  struct Splat {
    std::array<double, 3> place, scale;
    std::array<double, 4> turn;  ///< quaternion w, x, y, z of any length
    double opacity, colour;
  };

  SplatScene(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> scale(-1.2, 0.5), opacity(-3, 3);
    // The file stores floats.
    const auto rounded = [](double value) {
      return static_cast<double>(static_cast<float>(value));
    };
    for (std::size_t i = 0; i < count; ++i) {
      Splat s{};
      for (double& v : s.place) v = rounded(3 * normal(random));
      for (double& v : s.scale) v = rounded(scale(random));
      for (double& v : s.turn) v = rounded(2 * normal(random));
      s.opacity = rounded(opacity(random));
      s.colour = rounded(normal(random));
      splats.push_back(s);
    }
  }

  /// Returns the scene as an ASCII PLY file.
  std::string text() const {
    std::string ply = fmt::format("ply\nformat ascii 1.0\nelement vertex {}\n", splats.size());
    for (const char* const name : {"x", "y", "z", "f_dc_0", "opacity", "scale_0", "scale_1",
                                   "scale_2", "rot_0", "rot_1", "rot_2", "rot_3"})
      ply += fmt::format("property float {}\n", name);
    ply += "end_header\n";
    for (const Splat& s : splats)
      ply += fmt::format("{} {} {} {} {} {} {} {} {} {} {} {}\n", s.place[0], s.place[1],
                         s.place[2], s.colour, s.opacity, s.scale[0], s.scale[1], s.scale[2],
                         s.turn[0], s.turn[1], s.turn[2], s.turn[3]);
    return ply;
  }

  static double weight(const Splat& s) { return 1 / (1 + std::exp(-s.opacity)); }

  /// Column `axis` of R: this axis rotated as q v q*, in quaternions.
  static std::array<double, 3> turned_axis(const Splat& s, std::size_t axis) {
    std::array<double, 4> v{}, back{s.turn[0], -s.turn[1], -s.turn[2], -s.turn[3]};
    v[axis + 1] = 1;
    const std::array<double, 4> turned = product(product(s.turn, v), back);
    double square = 0;
    for (const double part : s.turn) square += part * part;
    return {turned[1] / square, turned[2] / square, turned[3] / square};
  }

  /// The weight times the normal density at a point.
  static double term(const Splat& s, const std::array<double, 3>& at) {
    double q = 0, height = weight(s) * std::pow(2 * std::numbers::pi, -1.5);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::array<double, 3> axis = turned_axis(s, i);
      double along = 0;
      for (std::size_t a = 0; a < 3; ++a) along += axis[a] * (at[a] - s.place[a]);
      q += along * along / std::exp(2 * s.scale[i]);
      height /= std::exp(s.scale[i]);
    }
    return height * std::exp(-q / 2);
  }

  double total_weight() const {
    double sum = 0;
    for (const Splat& s : splats) sum += weight(s);
    return sum;
  }

  double density(const std::array<double, 3>& at) const {
    double sum = 0;
    for (const Splat& s : splats) sum += term(s, at);
    return sum / total_weight();
  }

  /// The mean colour at a point, weighted by the splats' kernels.
  double mean_colour(const std::array<double, 3>& at) const {
    double sum = 0, weights = 0;
    for (const Splat& s : splats) {
      weights += term(s, at);
      sum += s.colour * term(s, at);
    }
    return sum / weights;
  }

  /// The variance of the mixture along an axis.
  double variance(std::size_t axis) const {
    double sum = 0, mean = 0, squares = 0;
    for (const Splat& s : splats) {
      double own = 0;
      for (std::size_t i = 0; i < 3; ++i)
        own += std::pow(turned_axis(s, i)[axis] * std::exp(s.scale[i]), 2);
      sum += weight(s);
      mean += weight(s) * s.place[axis];
      squares += weight(s) * (s.place[axis] * s.place[axis] + own);
    }
    return squares / sum - mean * mean / (sum * sum);
  }

  std::vector<Splat> splats;

 private:
  static std::array<double, 4> product(const std::array<double, 4>& a,
                                       const std::array<double, 4>& b) {
    return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
  }
};

}  // namespace skde::test
