#include "core/mass_in_box.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace skde {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 14;  // samples, whose sums are added in order
constexpr std::uint64_t kMostQuadratures = 2048;

/// The mass of a kernel of radius 1 below u along any axis, as a table: the density of the marginal
/// is proportional to the integral of k(q) from u^2 to 1.
class Marginal {
 public:
  explicit Marginal(const Kernel& kernel) : below_(kSteps + 1) {
    const double cut = kernel.cut();
    std::vector<double> density(kSteps + 1);
    for (int i = kSteps - 1; i >= 0; --i) {
      const double outer = place(i + 1), inner = place(i), middle = 0.5 * (outer + inner);
      const auto along = [&](double u) {
        return 2 * std::abs(u) * kernel.function->profile(cut * cut * u * u);
      };
      const double piece = (along(inner) + 4 * along(middle) + along(outer)) * kStep / 6;
      density[at(i)] = density[at(i + 1)] + (middle > 0 ? piece : -piece);
    }
    for (int i = 0; i < kSteps; ++i)
      below_[at(i + 1)] = below_[at(i)] + density[at(i)] + density[at(i + 1)];
    for (double& value : below_) value /= below_.back();
  }

  double below(double u) const {
    const double step = (std::clamp(u, -1.0, 1.0) + 1) / kStep;
    const int i = std::min(static_cast<int>(step), kSteps - 1);
    return below_[at(i)] + (step - i) * (below_[at(i + 1)] - below_[at(i)]);
  }

 private:
  static constexpr int kSteps = 2048;
  static constexpr double kStep = 2.0 / kSteps;
  static double place(int i) { return -1 + i * kStep; }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  std::vector<double> below_;
};

/// Calls body(value, weight) for the points of Gauss and Legendre's rule for an integral over
/// [from, to] of a disc's or ball's chord [-radius, radius]. Where its ends are roots, by its sine.
template <class Body>
void over_chord(double from, double to, double radius, bool ends_are_roots, const Body& body) {
  constexpr std::array<double, 8> kPlaces{
      0.0950125098376374, 0.2816035507792589, 0.4580167776572274, 0.6178762444026438,
      0.7554044083550030, 0.8656312023878318, 0.9445750230732326, 0.9894009349916499};
  constexpr std::array<double, 8> kWeights{
      0.1894506104550685, 0.1826034150449236, 0.1691565193950025, 0.1495959888165767,
      0.1246289712555339, 0.0951585116824928, 0.0622535239386479, 0.0271524594117541};
  double first = std::clamp(from / radius, -1.0, 1.0), last = std::clamp(to / radius, -1.0, 1.0);
  if (!(last > first)) return;
  if (ends_are_roots) {
    first = std::asin(first);
    last = std::asin(last);
  }
  const double middle = 0.5 * (first + last), half = 0.5 * (last - first);
  for (std::size_t i = 0; i < kPlaces.size(); ++i)
    for (const double side : {-1.0, 1.0}) {
      const double at = middle + side * half * kPlaces[i];
      const double place = ends_are_roots ? std::sin(at) : at;
      const double slope = ends_are_roots ? std::cos(at) : 1;
      body(radius * place, kWeights[i] * half * radius * slope);
    }
}

/// The integrals of one kernel's shape over boxes about it.
class KernelIntegral {
 public:
  /// `marginal` is that of the kernel whatever its H is, and `cut` where it ends.
  KernelIntegral(const Marginal& marginal, KernelFunction function, double cut, const Symmetric3& H)
      : function_(function),
        cut_(cut),
        marginal_(&marginal),
        half_(cut * Vec3{std::sqrt(H.xx), std::sqrt(H.yy), std::sqrt(H.zz)}),
        ellipsoid_(ellipsoid_of<long double>(H.xx, H.xy, H.xz, H.yy, H.yz, H.zz)
                       .cast<double>()
                       .scaled(cut)) {
    constexpr double kLeast = 1e-7;  // thin axes of samples' own shapes are lost in rounding
    ellipsoid_.sx = std::fmax(ellipsoid_.sx, kLeast * ellipsoid_.rx);
    ellipsoid_.sy = std::fmax(ellipsoid_.sy, kLeast * ellipsoid_.ry);
    if (!std::isfinite(ellipsoid_.bxy)) ellipsoid_.bxy = 0;
  }

  /// How many axes have a face of the box within the kernel; -1 where they do not meet.
  int crossed(const Box& box) const {
    int axes = 0;
    for (int axis = 0; axis < 3; ++axis) {
      if (box.lower[axis] >= half_[axis] || box.upper[axis] <= -half_[axis]) return -1;
      axes += box.lower[axis] > -half_[axis] || box.upper[axis] < half_[axis] ? 1 : 0;
    }
    return axes;
  }

  /// Where at most one axis is crossed.
  double along_an_axis(const Box& box) const {
    double mass = 1;
    for (int axis = 0; axis < 3; ++axis)
      mass *= marginal_->below(box.upper[axis] / half_[axis]) -
              marginal_->below(box.lower[axis] / half_[axis]);
    return mass;
  }

  /// By z, then y, then x in the conditional factors, in which the kernel is a ball.
  double by_quadrature(const Box& box) const {
    const bool roots = function_->is_bounded();
    const Ellipsoid<double>& e = ellipsoid_;
    double mass = 0;
    over_chord(box.lower.z / e.sz, box.upper.z / e.sz, 1, roots, [&](double u, double du) {
      const double disc = std::sqrt(1 - u * u), z = e.sz * u, middle = e.bzy * z;
      const double from = (box.lower.y - middle) / e.sy, to = (box.upper.y - middle) / e.sy;
      over_chord(from, to, disc, roots, [&](double v, double dv) {
        const double chord = std::sqrt(std::max(0.0, disc * disc - v * v));
        const double x = e.mx * z + e.bxy * e.sy * v;
        over_chord((box.lower.x - x) / e.sx, (box.upper.x - x) / e.sx, chord, roots,
                   [&](double w, double dw) {
                     mass +=
                         function_->profile(cut_ * cut_ * (u * u + v * v + w * w)) * du * dv * dw;
                   });
      });
    });
    return std::min(1.0, mass * function_->constant * cut_ * cut_ * cut_);
  }

 private:
  KernelFunction function_;
  double cut_;  ///< as lengths are in units of it
  const Marginal* marginal_;
  Vec3 half_;
  Ellipsoid<double> ellipsoid_;  ///< in world units
};

/// The box as a kernel of width 1 about the origin sees it.
Box seen_from(const Box& box, Vec3 sample, double width) {
  return {(1 / width) * (box.lower - sample), (1 / width) * (box.upper - sample)};
}

bool is_within(const Box& box, Vec3 p) {
  for (int axis = 0; axis < 3; ++axis)
    if (!(p[axis] >= box.lower[axis] && p[axis] <= box.upper[axis])) return false;
  return true;
}

/// Sums over samples, and what is left to quadrature.
struct Sums {
  MassInBox known;
  double edge_weight = 0;  ///< of samples at edges and corners
  std::uint64_t edges = 0;
};

/// Calls body(sums, i) for all samples and adds the sums of blocks in their order.
template <class Sum, class Body>
Sum over_samples(std::size_t size, int threads, const Body& body) {
  const std::size_t blocks = (size + kBlock - 1) / kBlock;
  std::vector<Sum> partial(blocks);
  const int workers = threads > 0 ? threads : omp_get_max_threads();
#pragma omp parallel for schedule(dynamic, 1) num_threads(workers)
  for (std::size_t block = 0; block < blocks; ++block)
    for (std::size_t i = block * kBlock; i < std::min(size, (block + 1) * kBlock); ++i)
      body(partial[block], i);
  Sum all{};
  for (const Sum& sum : partial) all += sum;
  return all;
}

Sums& operator+=(Sums& sums, const Sums& other) {
  sums.known += other.known;
  sums.edge_weight += other.edge_weight;
  sums.edges += other.edges;
  return sums;
}

/// Weight and mass of the samples at edges that were integrated.
struct Edges {
  double weight = 0, mass = 0;
  Edges& operator+=(const Edges& other) {
    weight += other.weight;
    mass += other.mass;
    return *this;
  }
};

/// True for about one index in `one_in`, spread without a period.
bool is_chosen(std::uint64_t i, std::uint64_t one_in) {
  constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15u;  // of 2^64
  return (i * kGoldenRatio >> 32) % one_in == 0;
}

}  // namespace

MassInBox& MassInBox::operator+=(const MassInBox& other) {
  weight += other.weight;
  outside += other.outside;
  return *this;
}

MassInBox mass_in_box(const Kernel& kernel, const Box& box, const SamplesView& points,
                      int threads) {
  const Marginal marginal(kernel);
  const double cut = kernel.cut();
  const KernelIntegral common(marginal, kernel.function, cut, kernel.H);
  const auto integral_of = [&](std::size_t i) {
    if (points.shapes.empty()) return common;
    return KernelIntegral(marginal, kernel.function, cut, points.shape(i));
  };
  const auto box_about = [&](std::size_t i) {
    return seen_from(box, points.point(i), points.width(i));
  };
  Sums sums = over_samples<Sums>(points.size(), threads, [&](Sums& sum, std::size_t i) {
    const double weight = points.weight(i);
    if (!(weight > 0)) return;
    if (!is_within(box, points.point(i))) ++sum.known.outside;
    const Box about = box_about(i);
    const KernelIntegral integral = integral_of(i);
    const int crossed = integral.crossed(about);
    if (crossed == 0) sum.known.weight += weight;
    if (crossed == 1) sum.known.weight += weight * integral.along_an_axis(about);
    if (crossed < 2) return;
    sum.edge_weight += weight;
    ++sum.edges;
  });
  if (sums.edges == 0) return sums.known;
  const std::uint64_t one_in = (sums.edges + kMostQuadratures - 1) / kMostQuadratures;
  const Edges edges = over_samples<Edges>(points.size(), threads, [&](Edges& sum, std::size_t i) {
    if (!(points.weight(i) > 0) || !is_chosen(i, one_in)) return;
    const Box about = box_about(i);
    const KernelIntegral integral = integral_of(i);
    if (integral.crossed(about) < 2) return;
    sum.weight += points.weight(i);
    sum.mass += points.weight(i) * integral.by_quadrature(about);
  });
  if (edges.weight > 0) sums.known.weight += sums.edge_weight * edges.mass / edges.weight;
  return sums.known;
}

}  // namespace skde
