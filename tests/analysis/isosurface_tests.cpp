#include "core/space/triangle_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <numbers>
#include <random>
#include <utility>

#include "analysis/isosurface.hpp"
#include "analysis/mass_levels.hpp"
#include "analysis/surface_measures.hpp"
#include "core/report/error.hpp"
#include "support/catch.hpp"
#include "support/cells.hpp"
#include "support/silent.hpp"

#if SKDE_HAS_OPENVDB

namespace skde {
namespace {

/// Counts the edges that keep a mesh from being watertight: those not shared by exactly two
/// triangles that run along it in opposite directions.
std::size_t open_edges(const TriangleMesh& mesh) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> directed;
  for (const auto& t : mesh.triangles)
    for (std::size_t i = 0; i < 3; ++i) ++directed[{t[i], t[(i + 1) % 3]}];
  std::size_t open = 0;
  for (const auto& [edge, count] : directed) {
    const auto back = directed.find({edge.second, edge.first});
    if (count != 1 || back == directed.end() || edge.first == edge.second) ++open;
  }
  return open;
}

double norm(Vec3 v) { return std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z); }

template <class Real>
Volume sampled(const Grid& grid, const std::function<double(Vec3)>& density) {
  std::vector<Real> values;
  values.reserve(static_cast<std::size_t>(grid.cells()));
  for (const auto& [i, j, k] : cells_of(grid.dims))
    values.push_back(static_cast<Real>(density(grid.centre(i, j, k))));
  return {grid, std::move(values)};
}

/// A grid of n^3 cells over [-half, half]^3.
Grid cube(std::int64_t n, double half) {
  const double edge = 2 * half / static_cast<double>(n);
  return {{-half, -half, -half}, {edge, edge, edge}, {n, n, n}};
}

double normal_density(double r) {
  return std::exp(-0.5 * r * r) / std::pow(2 * std::numbers::pi, 1.5);
}

Isosurface surface_of(const Volume& volume, double level) {
  return isosurface(volume, level, test::silent);
}

/// Noise, slightly smoothed or not at all: it has ambiguous cells of all kinds.
template <class Real>
Volume noise(std::mt19937_64& random, bool smooth) {
  const std::int64_t n = 18;
  std::uniform_real_distribution<Real> uniform(0, 1);
  std::vector<Real> values(n * n * n);
  for (Real& value : values) value = uniform(random);
  if (smooth)
    for (std::size_t i = 1; i < values.size(); ++i) values[i] = (values[i] + values[i - 1]) / 2;
  else  // in coarse steps, so that levels equal values of cells and blocks are alike
    for (Real& value : values) value = std::round(value * 4) / 4;
  return {{{5, 6, 7}, {1, 0.5, 2}, {n, n, n}}, std::move(values)};
}

}  // namespace

TEMPLATE_TEST_CASE("Isosurfaces of noise are watertight and oriented, in ambiguous cells too", "",
                   float, double) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 12; ++round) {
    const Volume volume = noise<TestType>(random, round % 2 == 0);
    for (const double level : {0.25, 0.5, 0.61, 0.75, 0.9}) {
      const Isosurface surface = surface_of(volume, level);
      REQUIRE(!surface.mesh.triangles.empty());
      CHECK(open_edges(surface.mesh) == 0);
      CHECK(surface.volume > 0);
      CHECK(surface.volume < volume.grid().cell_volume() * 18 * 18 * 18);
      CHECK(surface.mass > 0);
    }
  }
}

TEST_CASE("The surface of a normal density's mass encloses that mass within 1 % at 128^3") {
  const Volume volume =
      sampled<float>(cube(128, 5), [](Vec3 x) { return normal_density(norm(x)); });
  for (const double radius : {1.0, 1.5382, 2.0, 3.0}) {
    const double mass = std::erf(radius / std::sqrt(2.0)) -
                        std::sqrt(2 / std::numbers::pi) * radius * std::exp(-0.5 * radius * radius);
    const Isosurface surface =
        surface_of(volume, mass_levels(volume, std::vector{mass}).front().level);
    CHECK(open_edges(surface.mesh) == 0);
    CHECK(surface.mass == Approx(mass).epsilon(0.01));
    CHECK(surface.volume == Approx(4 * std::numbers::pi / 3 * std::pow(radius, 3)).epsilon(0.01));
    double farthest = 0, worst_normal = 1;
    for (std::size_t i = 0; i < surface.mesh.points.size(); ++i) {
      const Vec3 point = surface.mesh.points[i], normal = surface.mesh.normals[i];
      farthest = std::max(farthest, std::abs(norm(point) - radius));
      const double along =
          (point.x * normal.x + point.y * normal.y + point.z * normal.z) / norm(point);
      worst_normal = std::min(worst_normal, along);
      CHECK(norm(normal) == Approx(1).epsilon(1e-12));
    }
    CHECK(farthest < 0.25 * 10.0 / 128);
    CHECK(worst_normal > 0.999);
    CHECK(surface.closed == std::array<bool, 6>{});
  }
}

TEST_CASE(
    "The surface of a mass holds it on rough and coarse densities, too, down to single cells") {
  std::mt19937_64 random(12);
  const Volume one({{}, {1, 2, 3}, {3, 3, 3}}, [] {
    std::vector<double> values(27, 0.0);
    values[13] = 1;
    return values;
  }());
  for (int n = 0; n < 3; ++n) {
    const Volume volume = n == 2 ? one : noise<float>(random, true);
    // Around a single cell, no surface exceeds a cube of 2/3 of its edge, which holds a mass of
    // 0.26.
    for (const double mass : n == 2 ? std::vector{0.1, 0.2, 0.26} : std::vector{0.1, 0.5, 0.65}) {
      const Isosurface surface = mass_surface(volume, mass, volume.mass(), test::silent);
      CHECK(surface.mass / volume.mass() == Approx(mass).epsilon(1.01 * kNearMass));
      CHECK(open_edges(surface.mesh) == 0);
    }
  }
}

TEST_CASE("A plateau has surfaces of all of it or of nothing, and the nearest is taken") {
  const Volume volume = sampled<float>(cube(16, 8), [](Vec3 x) { return norm(x) < 4 ? 2 : 0; });
  const Isosurface surface = mass_surface(volume, 0.98, volume.mass(), test::silent);
  CHECK(surface.mass / volume.mass() < 0.98);
  CHECK(surface.mass / volume.mass() > 0.8);
}

TEST_CASE("Surfaces keep the digits of coordinates far from 0, on cells of unlike edges") {
  const Vec3 centre{450000, 5100000, -300};
  const Vec3 axes{2, 1, 0.1};
  const Grid grid{
      {centre.x - 6, centre.y - 3, centre.z - 0.3}, {0.1, 0.05, 0.005}, {120, 120, 120}};
  const Volume volume = sampled<double>(grid, [&](Vec3 x) {
    const Vec3 d = x - centre;
    return normal_density(norm({d.x / axes.x, d.y / axes.y, d.z / axes.z}));
  });
  const Isosurface surface = surface_of(volume, normal_density(1.5));
  CHECK(open_edges(surface.mesh) == 0);
  CHECK(surface.volume == Approx(4 * std::numbers::pi / 3 * std::pow(1.5, 3) * 0.2).epsilon(0.005));
  for (std::size_t i = 0; i < surface.mesh.points.size(); ++i) {
    const Vec3 d = surface.mesh.points[i] - centre;
    const Vec3 u{d.x / axes.x, d.y / axes.y, d.z / axes.z};
    CHECK(norm(u) == Approx(1.5).margin(0.01));
    Vec3 normal{u.x / axes.x, u.y / axes.y, u.z / axes.z};
    normal = (1 / norm(normal)) * normal;
    CHECK(norm(normal - surface.mesh.normals[i]) < 0.02);
  }
}

TEST_CASE("Where a surface meets the box it is closed along its faces") {
  const Grid grid{{0, 0, 0}, {1, 1, 1}, {10, 11, 12}};
  const Volume flat = sampled<float>(grid, [](Vec3) { return 2.0; });
  const Isosurface block = surface_of(flat, 1e-6);
  CHECK(open_edges(block.mesh) == 0);
  CHECK(block.closed == std::array{true, true, true, true, true, true});
  CHECK(block.volume == Approx(10 * 11 * 12).epsilon(0.01));
  CHECK(block.mass == Approx(2 * 10 * 11 * 12).epsilon(0.03));
  for (const Vec3 point : block.mesh.points)
    for (int axis = 0; axis < 3; ++axis) {
      CHECK(point[axis] >= 0);
      CHECK(point[axis] <= grid.bounds().upper[axis]);
    }
  const Volume half = sampled<float>(grid, [](Vec3 x) { return std::max(0.0, 5 - x.x); });
  const Isosurface part = surface_of(half, 2);
  CHECK(open_edges(part.mesh) == 0);
  CHECK(part.closed == std::array{true, false, true, true, true, true});
}

TEST_CASE("The mass within a block is the integral of a parabolic density, up to the faces") {
  const Grid grid{{1, -2, 0}, {0.5, 0.25, 2}, {9, 8, 7}};
  const auto factor = [](double x, double a, double b, double c) { return a + b * x + c * x * x; };
  const Volume volume = sampled<double>(grid, [&](Vec3 p) {
    return factor(p.x, 1, 0.3, 0.2) * factor(p.y, 2, -0.1, 0.5) * factor(p.z, 3, 0.2, -0.01);
  });
  const auto integral = [](double from, double to, double a, double b, double c) {
    const auto below = [=](double x) { return a * x + b * x * x / 2 + c * x * x * x / 3; };
    return below(to) - below(from);
  };
  for (const double low : {0.75, 2.25}) {  // both cut through cells along x
    const Vec3 from = grid.lower + Vec3{0.5 * low, 0.25 * 1.3, 2 * 1.1},
               to = grid.lower + Vec3{0.5 * 6.5, 0.25 * 6.2, 2 * 5.4};
    TriangleMesh mesh;
    for (int corner = 0; corner < 8; ++corner)
      mesh.points.push_back({(corner & 1) ? to.x : from.x, (corner & 2) ? to.y : from.y,
                             (corner & 4) ? to.z : from.z});
    mesh.triangles = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}, {0, 1, 5}, {0, 5, 4},
                      {2, 6, 7}, {2, 7, 3}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
    REQUIRE(open_edges(mesh) == 0);
    const double mass = integral(from.x, to.x, 1, 0.3, 0.2) * integral(from.y, to.y, 2, -0.1, 0.5) *
                        integral(from.z, to.z, 3, 0.2, -0.01);
    // Along y and z the density on the triangles is sampled at a few places only.
    CHECK(enclosed_mass(mesh, volume, test::silent) == Approx(mass).epsilon(3e-4));
    CHECK(enclosed_volume(mesh) ==
          Approx((to.x - from.x) * (to.y - from.y) * (to.z - from.z)).epsilon(1e-12));
  }
}

namespace {

/// Returns how often a mesh winds around a place: the solid angle of its triangles (Van Oosterom
/// and Strackee 1983), divided by that of the sphere.
double turns_around(const TriangleMesh& mesh, Vec3 place) {
  const auto dot = [](Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; };
  double angle = 0;
  for (const auto& [i, j, k] : mesh.triangles) {
    const Vec3 a = mesh.points[i] - place, b = mesh.points[j] - place, c = mesh.points[k] - place;
    const Vec3 normal{b.y * c.z - b.z * c.y, b.z * c.x - b.x * c.z, b.x * c.y - b.y * c.x};
    const double la = norm(a), lb = norm(b), lc = norm(c);
    angle += 2 * std::atan2(dot(a, normal),
                            la * lb * lc + dot(a, b) * lc + dot(a, c) * lb + dot(b, c) * la);
  }
  return angle / (4 * std::numbers::pi);
}

}  // namespace

TEST_CASE("Surfaces of few cells hold the mass of the density that is within them") {
  // Sums the density over places within the mesh, 8 along each side of a cell.
  constexpr double kDeviation = 1.1;  // in cells
  constexpr int kFine = 8;
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> within(-0.5, 0.5);
  for (int round = 0; round < 6; ++round) {
    const Vec3 centre{within(random), within(random), within(random)};
    const auto density = [&](Vec3 p) {
      return normal_density(norm(p - centre) / kDeviation) / std::pow(kDeviation, 3);
    };
    const Volume volume = sampled<double>(cube(17, 8.5), density);
    const Isosurface surface = mass_surface(volume, 0.5, 1, test::silent);
    double held = 0;
    const double step = 1.0 / kFine, end = 3;
    for (double z = -end + 0.5 * step; z < end; z += step)
      for (double y = -end + 0.5 * step; y < end; y += step)
        for (double x = -end + 0.5 * step; x < end; x += step)
          if (const Vec3 p = centre + Vec3{x, y, z};
              norm({x, y, z}) < 2.6 && turns_around(surface.mesh, p) > 0.5)
            held += density(p) * step * step * step;
    CHECK(surface.mass == Approx(held).epsilon(0.03));
    CHECK(surface.mass == Approx(0.5).epsilon(1.01 * kNearMass));
  }
}

TEST_CASE("The mass within a surface is that of parabolas between cells, not of a kernel of few") {
  constexpr double kRadius = 1.6;  // in cells
  constexpr int kFine = 16;
  const auto kernel = [&](Vec3 p) {
    const double q = norm(p) / kRadius;
    return q < 1 ? 15 / (8 * std::numbers::pi) * (1 - q * q) / std::pow(kRadius, 3) : 0.0;
  };
  const Volume volume = sampled<double>(cube(12, 6), kernel);  // the kernel is centred on a corner
                                                               // of cells
  /// Lagrange's polynomial through the centres of three cells along each axis.
  const auto interpolated = [&](Vec3 p) {
    const auto share = [](double u, int at) {
      return at == 0 ? (1 - u) * (1 + u) : u * (u + at) / 2;
    };
    const Vec3 cell{std::floor(p.x) + 0.5, std::floor(p.y) + 0.5, std::floor(p.z) + 0.5};
    double sum = 0;
    for (int k = -1; k < 2; ++k)
      for (int j = -1; j < 2; ++j)
        for (int i = -1; i < 2; ++i)
          sum += share(p.x - cell.x, i) * share(p.y - cell.y, j) * share(p.z - cell.z, k) *
                 kernel(cell + Vec3{1.0 * i, 1.0 * j, 1.0 * k});
    return sum;
  };
  const Isosurface surface = mass_surface(volume, 0.7, 1, test::silent);
  double of_cells = 0, of_kernel = 0;
  const double step = 1.0 / kFine;
  for (double z = -2 + 0.5 * step; z < 2; z += step)
    for (double y = -2 + 0.5 * step; y < 2; y += step)
      for (double x = -2 + 0.5 * step; x < 2; x += step) {
        const Vec3 p{x, y, z};
        if (turns_around(surface.mesh, p) < 0.5) continue;
        of_cells += interpolated(p) * step * step * step;
        of_kernel += kernel(p) * step * step * step;
      }
  CHECK(surface.mass == Approx(of_cells).epsilon(0.01));
  CHECK(surface.mass == Approx(0.7).epsilon(1.01 * kNearMass));
  CHECK(of_kernel == Approx(0.7405).epsilon(0.01));
}

TEST_CASE("Levels that no surface has are refused") {
  const Volume volume({{}, {1, 1, 1}, {2, 1, 1}}, std::vector<float>{1, 2});
  CHECK_THROWS_WITH(surface_of(volume, 3), Catch::Matchers::ContainsSubstring("greatest"));
  CHECK_THROWS_WITH(surface_of(volume, 2), Catch::Matchers::ContainsSubstring("encloses nothing"));
  CHECK_THROWS_AS(surface_of(volume, 0), Error);
  CHECK_THROWS_AS(surface_of(volume, -1), Error);
  CHECK_THROWS_AS(surface_of(volume, std::nan("")), Error);
}

}  // namespace skde

#endif
