#include "core/kernel/kernel_mass.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numbers>

#include "core/space/triangle_mesh.hpp"

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

double norm(Vec3 a) { return std::sqrt(dot(a, a)); }

/// Maps a point relative to the sample to coordinates in which the kernel is a ball of radius 1.
Vec3 in_ball(const Ellipsoid<double>& e, Vec3 d) {
  return {(d.x - e.bxy * d.y - e.bxz * d.z) * e.inv_sx, (d.y - e.bzy * d.z) * e.inv_sy,
          d.z * e.inv_sz};
}

/// Returns a function at `at` in [0, 1) by cubic pieces through its values and slopes.
double between(const std::vector<double>& values, const std::vector<double>& slopes, double at) {
  at *= kSteps;
  const auto i = std::min(static_cast<std::size_t>(at), std::size_t{kSteps - 1});
  const double t = at - static_cast<double>(i), u = 1 - t, step = 1.0 / kSteps;
  return u * u * ((1 + 2 * t) * values[i] + t * step * slopes[i]) +
         t * t * ((1 + 2 * u) * values[i + 1] - u * step * slopes[i + 1]);
}

/// Returns the integral by halves, until those of a piece agree with the whole.
template <class Function>
double halved_integral(double from, double to, double whole, int most, const Function& function) {
  constexpr double kAgree = 1e-12;
  const double middle = 0.5 * (from + to), first = integral(from, middle, function),
               second = integral(middle, to, function);
  if (most == 0 || std::abs(first + second - whole) < kAgree) return first + second;
  return halved_integral(from, middle, first, most - 1, function) +
         halved_integral(middle, to, second, most - 1, function);
}

/// Maps a point of the ball back: the inverse of in_ball().
Vec3 out_of_ball(const Ellipsoid<double>& e, Vec3 u) {
  const double z = e.sz * u.z, y = e.sy * u.y + e.bzy * z;
  return {e.sx * u.x + e.bxy * y + e.bxz * z, y, z};
}

/// A sphere as a kernel's ball sees it: rays leave the sample in planes through the axis, which
/// goes from the sample to the middle of the sphere.
struct SeenSphere {
  Vec3 centre;          ///< relative to the sample, in the units of the kernel
  double beyond = 0;    ///< squared distance of the centre, less the squared radius
  double tangent = 0;   ///< of the angle between axis and touching rays
  Vec3 axis, one, two;  ///< orthogonal directions in the ball

  SeenSphere(const Ellipsoid<double>& e, Vec3 place, double radius)
      : centre(place),
        beyond((norm(place) - radius) * (norm(place) + radius)),
        tangent(beyond > 0 ? radius / std::sqrt(beyond) : 0) {
    const Vec3 middle = in_ball(e, place);
    const double far = norm(middle);
    axis = far > 0 ? (1 / far) * middle : Vec3{0, 0, 1};
    const Vec3 other = std::abs(axis.z) < 0.7 ? Vec3{0, 0, 1} : Vec3{1, 0, 0};
    one = cross(axis, other);
    one = (1 / norm(one)) * one;
    two = cross(axis, one);
  }
};

}  // namespace

Ellipsoid<double> ellipsoid_in_world(const Symmetric3& H, double cut) {
  constexpr double kLeast = 1e-7;
  Ellipsoid<double> e =
      ellipsoid_of<long double>(H.xx, H.xy, H.xz, H.yy, H.yz, H.zz).cast<double>().scaled(cut);
  e.sx = std::fmax(e.sx, kLeast * e.rx);
  e.sy = std::fmax(e.sy, kLeast * e.ry);
  if (!std::isfinite(e.bxy)) e.bxy = 0;
  e.inv_sx = 1 / e.sx;
  e.inv_sy = 1 / e.sy;
  return e;
}

KernelMass::Table::Table(const Kernel& kernel)
    : by_root(kernel.function->is_steep),
      value(kSteps + 1),
      slope(kSteps + 1),
      masses(kSteps + 1),
      growth(kSteps + 1) {
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
  for (std::size_t i = 1; i <= kSteps; ++i) {
    const double r = static_cast<double>(i) / kSteps;
    masses[i] = masses[i - 1] + integral(static_cast<double>(i - 1) / kSteps, r, shell);
    growth[i] = shell(r);
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
  return between(table_->value, table_->slope, table_->by_root ? std::sqrt(r2) : r2);
}

/// Returns M(r).
double KernelMass::mass_within(double r) const {
  return r >= 1 ? table_->mass : between(table_->masses, table_->growth, r);
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

double KernelMass::beyond_plane(const Ellipsoid<double>& e, Vec3 n, double offset) const {
  const Vec3 across{e.sx * n.x, e.sy * (e.bxy * n.x + n.y),
                    e.sz * ((e.bxy * e.bzy + e.bxz) * n.x + e.bzy * n.y + n.z)};
  return std::max(below(-offset / norm(across)), 0.0);
}

/// Returns the flux through a triangle. The field beyond the ball is that of a point.
double KernelMass::triangle_flux(Vec3 a, Vec3 b, Vec3 c) const {
  const Vec3 normal = cross(b - a, c - a);
  const double height = dot(a, normal), near = norm(a), edges = std::max(norm(b - a), norm(c - a));
  if (height * height < dot(normal, normal) && near - edges < 1)
    return face_flux({a, b, c, c}, normal);
  // The solid angle by Van Oosterom and Strackee (IEEE Trans. Biomed. Eng. 30, 1983).
  const double lb = norm(b), lc = norm(c);
  return 2 * table_->mass *
         std::atan2(height, near * lb * lc + dot(a, b) * lc + dot(b, c) * near + dot(c, a) * lb);
}

double KernelMass::in_mesh(const Ellipsoid<double>& e, std::span<const Triangle> triangles,
                           Vec3 sample, double width) const {
  const auto seen = [&](Vec3 corner) { return in_ball(e, (1 / width) * (corner - sample)); };
  double flux = 0;
  for (const Triangle& one : triangles)
    flux += triangle_flux(seen(one[0]), seen(one[1]), seen(one[2]));
  return std::clamp(flux / (4 * std::numbers::pi * table_->mass), 0.0, 1.0);
}

KernelShare KernelMass::in_sphere(const Ellipsoid<double>& e, Vec3 centre, double radius) const {
  constexpr int kFirst = 32, kMost = 1024, kHalvings = 40;
  constexpr double kAgree = 1e-10;
  const double reach = std::sqrt(e.rx * e.rx + e.ry * e.ry + e.sz * e.sz), far = norm(centre);
  if (far + reach <= radius) return {1, 0};
  if (far - reach >= radius) return {0, 0};
  const SeenSphere sphere(e, centre, radius);
  const bool is_outside = sphere.beyond > 0;
  const Vec3 forwards = out_of_ball(e, sphere.axis);
  const auto in_plane = [&](double turn) {
    const Vec3 side = out_of_ball(e, std::cos(turn) * sphere.one + std::sin(turn) * sphere.two);
    double most = std::numbers::pi;  // the angle of the last ray that meets the sphere
    if (is_outside) {
      const double ahead = norm(forwards), along = dot(side, forwards) / ahead,
                   aside = std::sqrt(std::max(dot(side, side) - along * along, 0.0));
      most = std::atan2(sphere.tangent * ahead, aside - sphere.tangent * along);
    }
    const auto ray = [&](double root) {  // a chord's length begins as a root of the angle
      const double angle = most * (is_outside ? 1 - root * root : root);
      const Vec3 way = std::cos(angle) * forwards + std::sin(angle) * side;
      const double square = dot(way, way), middle = dot(way, sphere.centre) / square,
                   product = sphere.beyond / square,
                   larger = std::abs(middle) + std::sqrt(std::max(middle * middle - product, 0.0)),
                   other = larger > 0 ? product / larger : 0;  // not a difference of large numbers
      const double mass = is_outside ? mass_within(larger) - mass_within(other)
                                     : mass_within(middle > 0 ? larger : -other);
      return mass / table_->mass * std::sin(angle) * most * (is_outside ? 2 * root : 1);
    };
    return halved_integral(0, 1, integral(0, 1, ray), kHalvings, ray);
  };
  double sum = 0, share = 0, error = 1;
  for (int rays = kFirst, done = 0; rays <= kMost && error > kAgree; done = rays, rays *= 2) {
    for (int i = 0; i < rays; ++i)
      if (done == 0 || i % 2 == 1) sum += in_plane(2 * std::numbers::pi * i / rays);
    const double better = sum / (2 * rays);
    error = done == 0 ? 1 : std::abs(better - share);
    share = better;
  }
  return {std::clamp(share, 0.0, 1.0), error};
}

}  // namespace skde
