#pragma once

#include <array>
#include <cstdint>
#include <random>

#include "core/cloud/samples.hpp"
#include "core/space/space.hpp"
#include "support/cases/density_cases.hpp"

namespace skde::test {

#ifndef SKDE_CASE_SHARE
#define SKDE_CASE_SHARE 1
#endif
/// Returns how many of `all` random cases or samples this build tries: under sanitizers a fifth.
constexpr std::uint64_t tried(std::uint64_t all) {
  return (all + SKDE_CASE_SHARE - 1) / SKDE_CASE_SHARE;
}

/// Random numbers that are the same on every machine for the same seed.
class Random {
 public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}

  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(bits_() >> 11) * 0x1p-53);
  }
  /// Returns a number whose logarithm is uniform.
  double log_uniform(double low, double high);
  /// Returns an approximately normal number, the sum of twelve uniform ones.
  double normal();
  /// Returns one of 0, ..., count - 1.
  int below(int count) { return static_cast<int>(uniform(0, count)); }
  bool chance(double probability) { return uniform(0, 1) < probability; }

 private:
  std::mt19937_64 bits_;
};

/// H of kernels none of whose principal axes is an axis of the grid.
inline constexpr Symmetric3 kTiltedBandwidth{0.5, 0.2, -0.12, 0.6, 0.15, 0.4};
/// Returns H of an ellipsoid with these half axes and a random rotation.
Symmetric3 random_rotation(Random& random, Vec3 half_axes);
Symmetric3 random_rotated(std::uint64_t seed, Vec3 half_axes);

void add_uniform(Samples& cloud, Random& random, const Box& box, std::size_t count);
void add_normal(Samples& cloud, Random& random, Vec3 centre, double deviation, std::size_t count);
/// Adds samples uniform in the box widened by the margin on all sides, but outside the box itself.
void add_shell(Samples& cloud, Random& random, const Box& box, double margin, std::size_t count);
/// Repeats every sample `times` times.
void repeat(Samples& cloud, int times);

/// Multiplies the coordinates of the samples and of the grid; H is unchanged.
void stretch(DensityCase& density_case, Vec3 factors);
/// Moves the samples and the grid.
void shift(DensityCase& density_case, Vec3 by);

}  // namespace skde::test
