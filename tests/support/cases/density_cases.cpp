#include "support/cases/density_cases.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "core/kernel/kernel_function.hpp"
#include "support/cases/case_parts.hpp"

namespace skde::test {
namespace {

/// A case in a grid of unit cells, with samples uniform in its box.
DensityCase plain_case(std::string name, std::array<std::int64_t, 3> dims, Symmetric3 H,
                       std::uint64_t seed, std::size_t samples = 150) {
  DensityCase result{std::move(name), {}, H, Grid{{0, 0, 0}, {1, 1, 1}, dims}};
  Random random(seed);
  add_uniform(result.cloud, random, result.grid.bounds(), samples);
  return result;
}

Symmetric3 ball(double radius) {
  return Symmetric3::diagonal(radius * radius, radius * radius, radius * radius);
}

/// Samples on a sphere just wider than the cut of Gaussians. The cut has its largest effect at the
/// centre of the sphere.
DensityCase hole_case() {
  constexpr int kCount = 1000;
  const double h = 1.4, radius = 1.001 * h * KernelFunction::gaussian->cut_at(kDefaultTolerance);
  DensityCase result{"around a hole", {}, ball(h), Grid{{0, 0, 0}, {1, 1, 1}, {23, 23, 23}}};
  const double golden = std::numbers::pi * (3 - std::sqrt(5.0));
  for (int i = 0; i < kCount; ++i) {
    const double z = 1 - (2 * i + 1.0) / kCount, r = std::sqrt(1 - z * z);
    const Vec3 on_sphere{r * std::cos(golden * i), r * std::sin(golden * i), z};
    for (int axis = 0; axis < 3; ++axis)
      result.cloud.xyz.push_back(11.5 + radius * on_sphere[axis]);
  }
  return result;
}

void add_kernel_shapes(std::vector<DensityCase>& cases) {
  Random random(1);
  cases.push_back(plain_case("isotropic", {22, 21, 23}, ball(4.3), 10));
  cases.push_back(
      plain_case("anisotropic", {26, 19, 22}, Symmetric3::diagonal(5.3, 59.3, 16.8), 11));
  for (int turn = 0; turn < 3; ++turn)
    cases.push_back(plain_case("rotated needle " + std::to_string(turn), {26, 21, 24},
                               random_rotation(random, {14, 0.9, 0.7}), 12 + turn));
  for (int turn = 0; turn < 3; ++turn)
    cases.push_back(plain_case("rotated flat kernel " + std::to_string(turn), {20, 24, 19},
                               random_rotation(random, {11, 9, 0.6}), 15 + turn));
  cases.push_back(plain_case("thin plate along the axes", {18, 17, 18},
                             Symmetric3::diagonal(300, 0.01, 200), 18));
  cases.push_back(plain_case("long along x", {300, 5, 7}, Symmetric3::diagonal(4900, 4, 9), 19));
  cases.push_back(
      plain_case("larger than the box", {17, 15, 18}, random_rotation(random, {90, 60, 50}), 20));
  cases.push_back(plain_case("far larger than the box", {14, 15, 13}, ball(3e4), 21, 200));
  cases.push_back(plain_case("smaller than a cell", {20, 19, 21}, ball(0.45), 22, 1000));
}

void add_grid_shapes(std::vector<DensityCase>& cases) {
  Random random(2);
  const auto tilted = [&] { return random_rotation(random, {6, 3, 2}); };
  cases.push_back(plain_case("flat grid", {37, 1, 53}, tilted(), 30));
  cases.push_back(plain_case("one cell", {1, 1, 1}, ball(0.8), 31, 40));
  cases.push_back(plain_case("row along x", {65, 1, 1}, tilted(), 32));
  cases.push_back(plain_case("row along y", {1, 41, 1}, tilted(), 33));
  cases.push_back(plain_case("row along z", {1, 1, 59}, tilted(), 34));
  cases.push_back(plain_case("unequal sides", {65, 9, 33}, tilted(), 35));
  cases.push_back(plain_case("one past powers of two", {129, 17, 9}, tilted(), 36));
  cases.push_back(plain_case("one before powers of two", {127, 15, 7}, tilted(), 37));
  DensityCase cells = plain_case("cells that are no cubes", {31, 29, 23}, {}, 38);
  stretch(cells, {0.5, 1.3, 7.1});
  cells.H = random_rotation(random, {9, 5, 14});
  cases.push_back(std::move(cells));
}

void add_sample_places(std::vector<DensityCase>& cases) {
  for (const double margin : {4.0, 40.0}) {  // for a kernel of radius 5
    DensityCase outside = plain_case("", {19, 17, 18}, ball(5), 40, 0);
    outside.name = margin < 5 ? "outside, reaching in" : "outside, mostly out of reach";
    Random random(41);
    add_shell(outside.cloud, random, outside.grid.bounds(), margin, 300);
    cases.push_back(std::move(outside));
  }
  DensityCase unreached = plain_case("no kernel reaches the box", {20, 20, 20}, ball(2), 42, 0);
  unreached.cloud.xyz = {-2.6, 10, 10, 10, 22.6, 10, 10, 10, 500, -1.4, -1.4, -1.4};
  cases.push_back(std::move(unreached));
  DensityCase far = plain_case("some samples at any distance", {20, 20, 20}, ball(3), 43, 50);
  for (const double d : {3e4, 2.2e9, 1e13, 1e300})
    for (const double sign : {-1.0, 1.0})
      for (int axis = 0; axis < 3; ++axis)
        for (int k = 0; k < 3; ++k) far.cloud.xyz.push_back(k == axis ? sign * d : 10);
  cases.push_back(std::move(far));
  for (const double shift : {0.5, 0.0}) {
    DensityCase lattice = plain_case("", {15, 14, 17}, ball(3), 44);
    lattice.name = shift > 0 ? "on cell centres" : "on cell corners";
    for (double& value : lattice.cloud.xyz) value = std::floor(value) + shift;
    cases.push_back(std::move(lattice));
  }
  DensityCase faces =
      plain_case("on cell faces", {16, 15, 18}, random_rotated(45, {4, 2.5, 6}), 46);
  for (std::size_t i = 0; i < faces.cloud.xyz.size(); i += 2)
    faces.cloud.xyz[i] = std::floor(faces.cloud.xyz[i]);
  cases.push_back(std::move(faces));
  cases.push_back(hole_case());
}

void add_clouds(std::vector<DensityCase>& cases) {
  cases.push_back(plain_case("one sample", {25, 27, 23}, random_rotated(50, {7, 3, 4}), 51, 1));
  DensityCase same = plain_case("duplicates", {15, 16, 14}, ball(4), 52, 5);
  repeat(same.cloud, 200);
  cases.push_back(std::move(same));
  DensityCase crowded = plain_case("cluster and outliers", {30, 27, 29}, ball(2.2), 53, 40);
  Random random(54);
  add_normal(crowded.cloud, random, {20.3, 18.7, 25.2}, 0.8, 900);
  cases.push_back(std::move(crowded));
  cases.push_back(
      plain_case("many samples", {11, 12, 13}, random_rotated(55, {3, 2, 2.5}), 56, 20000));
}

void add_weights(std::vector<DensityCase>& cases) {
  DensityCase wide = plain_case("weights over six orders", {21, 18, 20}, ball(3.5), 60);
  Random random(61);
  for (std::size_t i = 0; i < wide.cloud.size(); ++i)
    wide.cloud.weights.push_back(std::pow(10.0, random.uniform(-3, 3)));
  cases.push_back(std::move(wide));
  DensityCase zeros = plain_case("zero weights", {18, 17, 18}, random_rotated(62, {5, 3, 2}), 63);
  for (std::size_t i = 0; i < zeros.cloud.size(); ++i)
    zeros.cloud.weights.push_back(i % 3 == 0 ? random.uniform(0.2, 2) : 0.0);
  cases.push_back(std::move(zeros));
}

void add_scales(std::vector<DensityCase>& cases) {
  for (const double scale : {1e-10, 1e9}) {
    DensityCase units = plain_case("", {19, 16, 17}, random_rotated(70, {30, 20, 25}), 71);
    units.name = scale < 1 ? "small units" : "large units";
    stretch(units, {scale, scale, scale});
    units.H = (scale * scale) * units.H;
    cases.push_back(std::move(units));
  }
  DensityCase shifted =
      plain_case("offset of 1e6", {20, 22, 19}, random_rotated(72, {6, 2.5, 4}), 73);
  stretch(shifted, {0.013, 0.021, 0.017});
  shifted.H = (0.017 * 0.017) * shifted.H;
  shift(shifted, {1e6, -1e6, 1e6});
  cases.push_back(std::move(shifted));
}

}  // namespace

double DensityCase::total_weight() const {
  if (cloud.weights.empty()) return static_cast<double>(cloud.size());
  return std::accumulate(cloud.weights.begin(), cloud.weights.end(), 0.0);
}

double DensityCase::largest_weight() const {
  if (cloud.weights.empty()) return 1;
  return *std::max_element(cloud.weights.begin(), cloud.weights.end());
}

std::vector<DensityCase> density_cases() {
  std::vector<DensityCase> cases;
  add_kernel_shapes(cases);
  add_grid_shapes(cases);
  add_sample_places(cases);
  add_clouds(cases);
  add_weights(cases);
  add_scales(cases);
  return cases;
}

DensityCase named_case(std::string_view name) {
  for (DensityCase& density_case : density_cases())
    if (density_case.name == name) return density_case;
  throw std::out_of_range("no case is called " + std::string(name));
}

}  // namespace skde::test
