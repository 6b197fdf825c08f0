#include "bandwidth/automatic_bandwidth.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/kernel/kernel_profiles.hpp"
#include "core/report/thread_room.hpp"

namespace skde {
namespace {

using Six = std::array<double, 6>;  // xx, xy, xz, yy, yz, zz

/// The frame in which a matrix is the unit matrix: u = B^-1 x, where B has these columns.
struct Frame {
  std::array<Vec3, 3> columns;

  explicit Frame(const Symmetric3& matrix) {
    const Eigen3 eigen = eigen_decomposition(matrix);
    for (std::size_t a = 0; a < 3; ++a) columns[a] = std::sqrt(eigen.values[a]) * eigen.vectors[a];
  }
  double operator()(std::size_t a, Vec3 d) const {
    const Vec3 c = columns[a];
    return (c.x * d.x + c.y * d.y + c.z * d.z) / (c.x * c.x + c.y * c.y + c.z * c.z);
  }
  /// Returns B M B^T.
  Symmetric3 world(const Symmetric3& m) const {
    Symmetric3 sum;
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b) {
        const Vec3 p = columns[a], q = columns[b];
        const double w = m(static_cast<int>(a), static_cast<int>(b));
        sum = sum + w * Symmetric3{
                            p.x * q.x, 0.5 * (p.x * q.y + p.y * q.x), 0.5 * (p.x * q.z + p.z * q.x),
                            p.y * q.y, 0.5 * (p.y * q.z + p.z * q.y), p.z * q.z};
      }
    return sum;
  }
};

/// Sums over pairs: of weights e, and of e d d^T.
using PairSums = std::array<double, 7>;

Symmetric3 inverse(const Symmetric3& m) {
  const Eigen3 eigen = eigen_decomposition(m);
  Symmetric3 sum;
  for (std::size_t a = 0; a < 3; ++a) {
    const Vec3 v = eigen.vectors[a];
    sum = sum + (1 / eigen.values[a]) *
                    Symmetric3{v.x * v.x, v.x * v.y, v.x * v.z, v.y * v.y, v.y * v.z, v.z * v.z};
  }
  return sum;
}

/// A lower triangular A with H = A A^T, as six numbers xx, yx, zx, yy, zy, zz; those of the
/// diagonal are logarithms.
struct Factor {
  Six a;

  explicit Factor(const Six& numbers) : a(numbers) {
    for (const std::size_t i : {0, 3, 5}) a[i] = std::exp(a[i]);
  }
  double determinant() const { return a[0] * a[3] * a[5]; }  ///< root of that of H
  Symmetric3 matrix() const {
    return {a[0] * a[0],
            a[0] * a[1],
            a[0] * a[2],
            a[1] * a[1] + a[3] * a[3],
            a[1] * a[2] + a[3] * a[4],
            a[2] * a[2] + a[4] * a[4] + a[5] * a[5]};
  }
  /// Returns the derivatives by the six numbers, from those by the entries of H: 2 D A.
  Six slope(const Symmetric3& d) const {
    return {2 * a[0] * (d.xx * a[0] + d.xy * a[1] + d.xz * a[2]),
            2 * (d.xy * a[0] + d.yy * a[1] + d.yz * a[2]),
            2 * (d.xz * a[0] + d.yz * a[1] + d.zz * a[2]),
            2 * a[3] * (d.yy * a[3] + d.yz * a[4]),
            2 * (d.yz * a[3] + d.zz * a[4]),
            2 * a[5] * d.zz * a[5]};
  }
};

/// Smoothed cross-validation as a function of the six numbers of a Factor, in a frame.
class Score {
 public:
  Score(const SamplesView& samples, const Frame& frame, int threads, Progress& progress)
      : progress_(progress), team_(thread_count(threads)) {
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const Vec3 d = samples.point(i) - samples.point(0);
      for (std::size_t a = 0; a < 3; ++a) at_[a].push_back(frame(a, d));
      weights_.push_back(samples.weight(i));
      total_ += samples.weight(i);
      squares_ += samples.weight(i) * samples.weight(i);
    }
  }

  /// Returns the score, and puts its derivatives into `slope`.
  double operator()(const Six& numbers, Six& slope) const {
    progress_.throw_if_cancelled();
    const Factor factor(numbers);
    const Symmetric3 H = factor.matrix();
    const double variance =
        GaussianProfile::convolution(0) * squares_ / (total_ * total_ * factor.determinant());
    Symmetric3 by_entries = (-0.5 * variance) * inverse(H);
    double value = variance;
    for (const double times : {2.0, 1.0}) {
      const double sign = times == 2 ? 1 : -2;
      const Symmetric3 Q = times * H + Symmetric3::diagonal(kPilot, kPilot, kPilot);
      add_bias(Q, sign, times, value, by_entries);
    }
    slope = factor.slope(by_entries);
    return value;
  }

 private:
  static constexpr double kPilot = 2 * 1.25 * 1.25;  // 2 G

  /// Adds sum_ij w_i w_j phi_Q(x_i - x_j) / W^2 over all pairs i != j, and its derivatives by H.
  void add_bias(const Symmetric3& Q, double sign, double times, double& value,
                Symmetric3& by_entries) const {
    const Symmetric3 P = inverse(Q);
    const Eigen3 eigen = eigen_decomposition(P);
    const double root = std::sqrt(eigen.values[0] * eigen.values[1] * eigen.values[2]);
    const double scale = sign * 2 * GaussianProfile::kConstant * root / (total_ * total_);
    const PairSums sums = sums_of(P);
    value += scale * sums[0];
    // d phi_Q / dQ = (P d d^T P - P) phi_Q / 2
    const Symmetric3 spread{sums[1], sums[2], sums[3], sums[4], sums[5], sums[6]};
    by_entries = by_entries + (0.5 * times * scale) * (between(P, spread) + (-sums[0]) * P);
  }
  /// Returns P M P.
  static Symmetric3 between(const Symmetric3& P, const Symmetric3& M) {
    const auto entry = [&](int a, int b) {
      double sum = 0;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) sum += P(a, i) * M(i, j) * P(j, b);
      return sum;
    };
    return {entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)};
  }
  PairSums sums_of(const Symmetric3& P) const {
    const double *x = at_[0].data(), *y = at_[1].data(), *z = at_[2].data();
    const auto count = static_cast<std::ptrdiff_t>(weights_.size());
    std::vector<PairSums> rows(weights_.size());
#pragma omp parallel for schedule(dynamic, 16) num_threads(team_)
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      double s[7] = {};
#pragma omp simd reduction(+ : s[:7])
      for (std::ptrdiff_t j = 0; j < i; ++j) {
        const double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
        const double d[6] = {dx * dx, dx * dy, dx * dz, dy * dy, dy * dz, dz * dz};
        const double q =
            P.xx * d[0] + P.yy * d[3] + P.zz * d[5] + 2 * (P.xy * d[1] + P.xz * d[2] + P.yz * d[4]);
        const double e = weights_[j] * exp_of_negative(-0.5 * q);
        s[0] += e;
        for (int n = 0; n < 6; ++n) s[1 + n] += e * d[n];
      }
      for (std::size_t n = 0; n < 7; ++n)
        rows[static_cast<std::size_t>(i)][n] = weights_[static_cast<std::size_t>(i)] * s[n];
    }
    PairSums sums{};  // in one order, whatever the number of threads
    for (const PairSums& row : rows)
      for (std::size_t n = 0; n < 7; ++n) sums[n] += row[n];
    return sums;
  }

  Progress& progress_;
  int team_;
  std::array<std::vector<double>, 3> at_;
  std::vector<double> weights_;
  double total_ = 0, squares_ = 0;
};

double dot(const Six& a, const Six& b) {
  double sum = 0;
  for (std::size_t i = 0; i < 6; ++i) sum += a[i] * b[i];
  return sum;
}

/// An estimate of the inverse matrix of second derivatives.
class InverseHessian {
 public:
  explicit InverseHessian(double scale) {
    for (std::size_t i = 0; i < 6; ++i) rows_[i][i] = scale;
  }
  Six times(const Six& v) const {
    Six product{};
    for (std::size_t i = 0; i < 6; ++i) product[i] = dot(rows_[i], v);
    return product;
  }
  /// The update of Broyden, Fletcher, Goldfarb and Shanno (Nocedal and Wright 2006, eq. 6.17).
  void update(const Six& step, const Six& change) {
    const double curvature = dot(step, change);
    if (!(curvature > 0)) return;
    const Six hy = times(change);
    const double factor = (1 + dot(change, hy) / curvature) / curvature;
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j)
        rows_[i][j] += factor * step[i] * step[j] - (hy[i] * step[j] + step[i] * hy[j]) / curvature;
  }

 private:
  std::array<Six, 6> rows_{};
};

/// Descends from 0, which is the unit matrix.
Six least_of(const Score& score) {
  constexpr int kMost = 60;
  constexpr double kFirst = 0.1, kMostStep = 0.5, kSame = 1e-4, kShare = 1e-4;
  Six at{}, slope{};
  double value = score(at, slope);
  InverseHessian hessian(kFirst / std::sqrt(std::max(dot(slope, slope), 1e-300)));
  for (int i = 0; i < kMost; ++i) {
    Six step = hessian.times(slope);
    const double length = std::sqrt(dot(step, step));
    double factor = -std::min(1.0, kMostStep / length);
    if (length < kSame) break;
    Six next{}, next_slope{};
    double next_value = 0;
    for (;; factor *= 0.5) {
      for (std::size_t n = 0; n < 6; ++n) next[n] = at[n] + factor * step[n];
      next_value = score(next, next_slope);
      if (next_value <= value + kShare * factor * dot(step, slope)) break;
      if (-factor * length < kSame) return at;
    }
    Six moved{}, change{};
    for (std::size_t n = 0; n < 6; ++n) {
      moved[n] = next[n] - at[n];
      change[n] = next_slope[n] - slope[n];
    }
    hessian.update(moved, change);
    at = next;
    slope = next_slope;
    value = next_value;
  }
  return at;
}

/// Returns for each sample i the integral's share less 2 f_-i(x_i), for Gaussians with H. Their
/// mean by weights is the least-squares score.
std::vector<double> score_shares(const SamplesView& samples, const Symmetric3& H, int threads) {
  const Frame frame(H);
  double height = GaussianProfile::kConstant, total = 0;
  for (const Vec3 c : frame.columns) height /= std::hypot(c.x, c.y, c.z);
  std::vector<Vec3> at;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Vec3 d = samples.point(i) - samples.point(0);
    at.push_back({frame(0, d), frame(1, d), frame(2, d)});
    total += samples.weight(i);
  }
  const auto count = static_cast<std::ptrdiff_t>(samples.size());
  std::vector<double> shares(samples.size());
#pragma omp parallel for schedule(dynamic, 16) num_threads(thread_count(threads))
  for (std::ptrdiff_t k = 0; k < count; ++k) {
    const auto i = static_cast<std::size_t>(k);
    double wide = 0, narrow = 0;  // of 2 H and of H
    for (std::size_t j = 0; j < samples.size(); ++j) {
      if (j == i) continue;
      const Vec3 d = at[j] - at[i];
      const double e = exp_of_negative(-0.25 * (d.x * d.x + d.y * d.y + d.z * d.z));
      wide += samples.weight(j) * e;
      narrow += samples.weight(j) * e * e;
    }
    const double own = samples.weight(i);
    shares[i] = height * (GaussianProfile::convolution(0) / GaussianProfile::kConstant *
                              (wide + own) / total -
                          2 * narrow / (total - own));
  }
  return shares;
}

}  // namespace

double score_excess(const SamplesView& samples, const Symmetric3& a, const Symmetric3& b,
                    int threads) {
  std::vector<double> shares = score_shares(samples, a, threads);
  const std::vector<double> others = score_shares(samples, b, threads);
  double total = 0, sum = 0, squares = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    shares[i] -= others[i];
    total += samples.weight(i);
    sum += samples.weight(i) * shares[i];
  }
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double apart = samples.weight(i) * (shares[i] - sum / total);
    squares += apart * apart;
  }
  return sum / (2 * std::sqrt(squares));
}

Symmetric3 smoothed_score_matrix(const SamplesView& samples, const Symmetric3& start, int threads,
                                 Progress& progress) {
  const Frame frame(start);
  const Score score(samples, frame, threads, progress);
  return frame.world(Factor(least_of(score)).matrix());
}

}  // namespace skde
