#include "support/cases/case_parts.hpp"

#include <cmath>

namespace skde::test {
namespace {

/// Adds length^2 v v^T to H.
void add_axis(Symmetric3& H, Vec3 v, double length) {
  const double s = length * length;
  H = H + Symmetric3{s * v.x * v.x, s * v.x * v.y, s * v.x * v.z,
                     s * v.y * v.y, s * v.y * v.z, s * v.z * v.z};
}

void push(Samples& cloud, Vec3 at) { cloud.xyz.insert(cloud.xyz.end(), {at.x, at.y, at.z}); }

}  // namespace

double Random::log_uniform(double low, double high) {
  return std::exp(uniform(std::log(low), std::log(high)));
}

double Random::normal() {
  double sum = -6;
  for (int k = 0; k < 12; ++k) sum += uniform(0, 1);
  return sum;
}

Symmetric3 random_rotation(Random& random, Vec3 half_axes) {
  // A random unit quaternion.
  double w = random.normal(), x = random.normal(), y = random.normal(), z = random.normal();
  const double norm = std::sqrt(w * w + x * x + y * y + z * z);
  w /= norm, x /= norm, y /= norm, z /= norm;
  Symmetric3 H;
  add_axis(H, {1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)}, half_axes.x);
  add_axis(H, {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)}, half_axes.y);
  add_axis(H, {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}, half_axes.z);
  return H;
}

Symmetric3 random_rotated(std::uint64_t seed, Vec3 half_axes) {
  Random random(seed);
  return random_rotation(random, half_axes);
}

void add_uniform(Samples& cloud, Random& random, const Box& box, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    for (int axis = 0; axis < 3; ++axis)
      cloud.xyz.push_back(random.uniform(box.lower[axis], box.upper[axis]));
}

void add_normal(Samples& cloud, Random& random, Vec3 centre, double deviation, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    for (int axis = 0; axis < 3; ++axis)
      cloud.xyz.push_back(centre[axis] + deviation * random.normal());
}

void add_shell(Samples& cloud, Random& random, const Box& box, double margin, std::size_t count) {
  while (count > 0) {
    Vec3 at;
    bool inside = true;
    for (int axis = 0; axis < 3; ++axis) {
      at[axis] = random.uniform(box.lower[axis] - margin, box.upper[axis] + margin);
      inside = inside && at[axis] >= box.lower[axis] && at[axis] <= box.upper[axis];
    }
    if (inside) continue;
    push(cloud, at);
    --count;
  }
}

void repeat(Samples& cloud, int times) {
  const Samples once = cloud;
  for (int k = 1; k < times; ++k) {
    cloud.xyz.insert(cloud.xyz.end(), once.xyz.begin(), once.xyz.end());
    cloud.weights.insert(cloud.weights.end(), once.weights.begin(), once.weights.end());
  }
}

void stretch(DensityCase& density_case, Vec3 factors) {
  auto& xyz = density_case.cloud.xyz;
  for (std::size_t i = 0; i < xyz.size(); ++i) xyz[i] *= factors[static_cast<int>(i % 3)];
  for (int axis = 0; axis < 3; ++axis) {
    density_case.grid.lower[axis] *= factors[axis];
    density_case.grid.spacing[axis] *= factors[axis];
  }
}

void shift(DensityCase& density_case, Vec3 by) {
  auto& xyz = density_case.cloud.xyz;
  for (std::size_t i = 0; i < xyz.size(); ++i) xyz[i] += by[static_cast<int>(i % 3)];
  density_case.grid.lower = density_case.grid.lower + by;
}

}  // namespace skde::test
