#pragma once

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/space/grid.hpp"
#include "core/space/space.hpp"
#include "support/references/direct_sums.hpp"

namespace skde::test {

/// Gaussians or exponentials of samples with weights at places however far from them, in long
/// double relative to the largest, from the definition; shares no code with the library.
class LogReference {
 public:
  using Real = long double;
  static constexpr std::size_t kNobody = std::numeric_limits<std::size_t>::max();

  LogReference(const SamplesView& samples, const Symmetric3& H,
               KernelFunction function = KernelFunction::gaussian)
      : samples_(samples) {
    for (std::size_t j = 0; j < samples.size(); ++j)
      kernels_.emplace_back(direct_matrix(samples, H, j), function == KernelFunction::exponential);
  }
  /// Adds images of the place along the axis, for this many periods to either side.
  void fold(int axis, Boundary boundary, double lower, double upper, int periods) {
    folds_[axis] = {boundary, lower, upper, periods};
  }

  /// Returns log sum_j w_j k_j(x) / sum_j w_j without sample `left_out`.
  Real log_density(Vec3 x, std::size_t left_out = kNobody) {
    sum(x, left_out);
    Real total = 0, weight = 0;
    for (const Real part : parts_) total += part;
    for (std::size_t j = 0; j < samples_.size(); ++j)
      weight += j == left_out ? 0 : Real(samples_.weight(j));
    return largest_ + std::log(total) - std::log(weight);
  }
  /// Returns the share of each sample in the sum at x.
  const std::vector<Real>& shares(Vec3 x) {
    sum(x, kNobody);
    Real total = 0;
    for (const Real part : parts_) total += part;
    for (Real& part : parts_) part /= total;
    return parts_;
  }

 private:
  struct LoggedKernel {
    bool of_root;  // exp(-sqrt(q)) / (8 pi)
    Real inverse[3][3], log_height;

    LoggedKernel(const Symmetric3& H, bool is_exponential) : of_root(is_exponential) {
      const Real m[3][3] = {{H.xx, H.xy, H.xz}, {H.xy, H.yy, H.yz}, {H.xz, H.yz, H.zz}};
      Real determinant = 0;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
          inverse[i][j] = m[a][c] * m[b][d] - m[a][d] * m[b][c];
          if (i == 0) determinant += m[0][j] * inverse[0][j];
        }
      for (auto& row : inverse)
        for (Real& value : row) value /= determinant;
      constexpr Real kPi = std::numbers::pi_v<Real>;
      log_height =
          -0.5L * std::log(determinant) - (of_root ? std::log(8 * kPi) : 1.5L * std::log(2 * kPi));
    }
    Real log(const Real (&d)[3]) const {
      Real q = 0;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) q += d[i] * inverse[i][j] * d[j];
      return log_height - (of_root ? std::sqrt(q) : q / 2);
    }
  };
  struct Fold {
    Boundary boundary = Boundary::none;
    double lower = 0, upper = 0;
    int periods = 0;
  };

  /// Returns the place and its images along an axis.
  std::vector<Real> seen(Real place, int axis) const {
    const Fold& fold = folds_[axis];
    std::vector<Real> all;
    const Real length = Real(fold.upper) - fold.lower;
    for (int k = -fold.periods; k <= fold.periods; ++k) {
      const bool reflects = fold.boundary == Boundary::reflect;
      all.push_back(place + k * (reflects ? 2 * length : length));
      if (reflects) all.push_back(2 * Real(fold.lower) - place + 2 * k * length);
    }
    return all;
  }

  void sum(Vec3 x, std::size_t left_out) {
    std::vector<std::vector<Real>> logs(samples_.size());
    largest_ = -std::numeric_limits<Real>::infinity();
    for (const Real a : seen(x.x, 0))
      for (const Real b : seen(x.y, 1))
        for (const Real c : seen(x.z, 2))
          for (std::size_t j = 0; j < samples_.size(); ++j) {
            if (j == left_out || !(samples_.weight(j) > 0)) continue;
            const Vec3 at = samples_.point(j);
            logs[j].push_back(kernels_[j].log({a - at.x, b - at.y, c - at.z}) +
                              std::log(Real(samples_.weight(j))));
            largest_ = std::max(largest_, logs[j].back());
          }
    parts_.assign(samples_.size(), 0);
    for (std::size_t j = 0; j < samples_.size(); ++j)
      for (const Real log : logs[j]) parts_[j] += std::exp(log - largest_);
  }

  SamplesView samples_;
  std::vector<LoggedKernel> kernels_;
  Fold folds_[3];
  std::vector<Real> parts_;
  Real largest_ = 0;
};

}  // namespace skde::test
