#include "core/kernel/kernel_mass.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <numbers>

namespace skde {
namespace {

constexpr int kSteps = 2048;

/// Half of the points of the 16-point Gauss-Legendre rule.
constexpr std::array<double, 8> kPlaces{0.0950125098376374, 0.2816035507792589, 0.4580167776572274,
                                        0.6178762444026438, 0.7554044083550030, 0.8656312023878318,
                                        0.9445750230732326, 0.9894009349916499};
constexpr std::array<double, 8> kWeights{0.1894506104550685, 0.1826034150449236, 0.1691565193950025,
                                         0.1495959888165767, 0.1246289712555339, 0.0951585116824928,
                                         0.0622535239386479, 0.0271524594117541};

template <class Function>
double integral(double from, double to, const Function& function) {
  const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
  double sum = 0;
  for (std::size_t i = 0; i < kPlaces.size(); ++i)
    sum +=
        kWeights[i] * (function(middle - half * kPlaces[i]) + function(middle + half * kPlaces[i]));
  return half * sum;
}

/// From a place where the function is steep, in pieces that grow away from it.
template <class Function>
double steep_integral(double from, double to, const Function& function) {
  constexpr int kPieces = 6;
  constexpr double kRatio = 0.25;
  double sum = 0, share = 1;
  for (int piece = 0; piece < kPieces; ++piece, share *= kRatio) {
    const double nearer = piece + 1 == kPieces ? 0 : share * kRatio;
    sum += integral(from + nearer * (to - from), from + share * (to - from), function);
  }
  return sum;
}

double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
double norm(Vec3 a) { return std::sqrt(dot(a, a)); }
Vec3 cross(Vec3 a, Vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Maps a point relative to the sample to coordinates in which the kernel is a ball of radius 1.
Vec3 in_ball(const Ellipsoid<double>& e, Vec3 d) {
  return {(d.x - e.bxy * d.y - e.bxz * d.z) * e.inv_sx, (d.y - e.bzy * d.z) * e.inv_sy,
          d.z * e.inv_sz};
}

}  // namespace

KernelMass::Table::Table(const Kernel& kernel)
    : by_root(kernel.function->is_steep), value(kSteps + 1), slope(kSteps + 1) {
  const double cut = kernel.cut();
  const auto shell = [&](double r) { return kernel.function->profile(cut * cut * r * r) * r * r; };
  slope[0] = by_root ? 0 : kernel.function->profile(0) / 6;
  double before = 0;
  for (std::size_t i = 1; i <= kSteps; ++i) {
    const double at = static_cast<double>(i) / kSteps, r = by_root ? at : std::sqrt(at);
    // M grows within the step, from which its slope and the value follow.
    const auto mass_at = [&](double s) { return mass + integral(before, s, shell); };
    value[i] = value[i - 1] + integral(before, r, [&](double s) { return mass_at(s) / (s * s); });
    mass = mass_at(r);
    slope[i] = mass / (by_root ? r * r : 2 * r * at);
    before = r;
  }
}

std::shared_ptr<const KernelMass::Table> KernelMass::table_of(const Kernel& kernel) {
  constexpr std::size_t kKept = 16;
  struct Kept {
    KernelFunction function{};
    double cut = 0;
    std::shared_ptr<const Table> table;
  };
  static std::mutex mutex;
  static std::vector<Kept> kept;
  const double cut = kernel.cut();
  const std::lock_guard lock(mutex);
  const auto found = std::ranges::find_if(
      kept, [&](const Kept& one) { return one.function == kernel.function && one.cut == cut; });
  if (found != kept.end()) return found->table;
  if (kept.size() == kKept) kept.erase(kept.begin());
  kept.push_back({kernel.function, cut, std::make_shared<const Table>(kernel)});
  return kept.back().table;
}

KernelMass::KernelMass(const Kernel& kernel) : table_(table_of(kernel)) {}

/// Returns the integral of M(s) / s^2 up to sqrt(r2). Outside the ball it has a closed form.
double KernelMass::potential(double r2) const {
  if (r2 >= 1) return table_->value.back() + table_->mass * (1 - 1 / std::sqrt(r2));
  const double at = (table_->by_root ? std::sqrt(r2) : r2) * kSteps;
  const auto i = std::min(static_cast<std::size_t>(at), std::size_t{kSteps - 1});
  const double t = at - static_cast<double>(i), u = 1 - t, step = 1.0 / kSteps;
  return u * u * ((1 + 2 * t) * table_->value[i] + t * step * table_->slope[i]) +
         t * t * ((1 + 2 * u) * table_->value[i + 1] - u * step * table_->slope[i + 1]);
}

/// Returns the share of the mass below a plane: the flux through it plus that through half of the
/// sphere.
double KernelMass::below(double u) const {
  const double d = std::clamp(u, -1.0, 1.0);
  return 0.5 + d * (table_->value.back() + table_->mass - potential(d * d)) / (2 * table_->mass);
}

/// Returns the flux of one edge of a face: the integral along the edge of distance g(rho) / rho^2
/// with rho^2 = distance^2 + t^2. The edge lies at `distance` from the foot of the face's normal,
/// which is `height` long; g is the growth of the potential from the foot on.
double KernelMass::edge_flux(double height, double distance, double from, double to) const {
  const double h2 = height * height, d2 = distance * distance, near2 = h2 + d2;
  const double foot = potential(h2);
  const auto inside = [&](double t) {
    constexpr double kNear = 1e-6;  // below this, differences of the potential lose digits
    const double rho2 = d2 + t * t;
    if (rho2 > kNear) return (potential(h2 + rho2) - foot) / rho2;
    return (potential(h2 + rho2 + kNear) - potential(h2 + rho2)) / kNear;
  };
  const double all = h2 < 1 ? table_->value.back() + table_->mass - foot : table_->mass / height;
  const auto outside = [&](double t) {  // antiderivative of the integrand
    const double r = std::sqrt(near2 + t * t);
    return all * std::atan(t / distance) -
           table_->mass / height * std::atan(t * height / (distance * r));
  };
  const double end = near2 < 1 ? std::sqrt(1 - near2) : 0;
  const double first = std::clamp(from, -end, end), last = std::clamp(to, -end, end);
  double flux = 0;
  if (last > first) {
    const double middle = std::clamp(0.0, first, last);  // the peak of Gaussians
    if (table_->by_root)
      flux =
          distance * (steep_integral(middle, last, inside) - steep_integral(middle, first, inside));
    else
      flux = distance * (integral(first, middle, inside) + integral(middle, last, inside));
  }
  if (from < -end) flux += outside(std::min(to, -end)) - outside(from);
  if (to > end) flux += outside(to) - outside(std::max(from, end));
  return flux;
}

double KernelMass::face_flux(const Vec3 (&corners)[4], Vec3 outwards) const {
  constexpr double kNothing = 1e-14;  // faces and edges through the sample have no flux
  Vec3 normal = cross(corners[1] - corners[0], corners[2] - corners[1]);
  const double area = norm(normal);
  if (!(area > 0)) return 0;  // a face so small beside the kernel that its area underflows
  normal = (1 / area) * normal;
  double height = dot(normal, corners[0]);
  const double side = dot(normal, outwards) < 0 ? -1 : 1;
  if (std::abs(height) < kNothing) return 0;
  const Vec3 foot = height * normal;
  double sum = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const Vec3 a = corners[i] - foot, b = corners[(i + 1) % 4] - foot;
    const double length = norm(b - a);
    if (!(length > 0)) continue;
    const Vec3 along = (1 / length) * (b - a);
    const double distance = dot(cross(a, along), normal);
    if (std::abs(distance) < kNothing) continue;
    const double flux =
        edge_flux(std::abs(height), std::abs(distance), dot(a, along), dot(b, along));
    sum += distance > 0 ? flux : -flux;
  }
  return side * height * sum;
}

double KernelMass::in_box(const Ellipsoid<double>& e, const Box& box) const {
  constexpr double kOutside = 1.25;  // in half extents; the kernel is 0 there
  const Vec3 half{e.rx, e.ry, e.sz};
  Box near;
  int crossed = 0;
  double along = 1;  // the result if at most one axis is crossed
  for (int axis = 0; axis < 3; ++axis) {
    if (!(box.lower[axis] < half[axis] && box.upper[axis] > -half[axis])) return 0;
    near.lower[axis] = std::max(box.lower[axis], -kOutside * half[axis]);
    near.upper[axis] = std::min(box.upper[axis], kOutside * half[axis]);
    if (box.lower[axis] <= -half[axis] && box.upper[axis] >= half[axis]) continue;
    ++crossed;
    along = below(box.upper[axis] / half[axis]) - below(box.lower[axis] / half[axis]);
  }
  if (crossed < 2) return along;
  double flux = 0;
  for (int axis = 0; axis < 3; ++axis)
    for (const bool is_upper : {false, true}) {
      const int u = (axis + 1) % 3, v = (axis + 2) % 3;
      Vec3 corners[4];
      for (int i = 0; i < 4; ++i) {
        Vec3 corner;
        corner[axis] = is_upper ? near.upper[axis] : near.lower[axis];
        corner[u] = i == 1 || i == 2 ? near.upper[u] : near.lower[u];
        corner[v] = i >= 2 ? near.upper[v] : near.lower[v];
        corners[i] = in_ball(e, corner);
      }
      Vec3 out;
      out[axis] = is_upper ? 1 : -1;
      flux += face_flux(corners, in_ball(e, out));
    }
  return std::clamp(flux / (4 * std::numbers::pi * table_->mass), 0.0, 1.0);
}

}  // namespace skde
