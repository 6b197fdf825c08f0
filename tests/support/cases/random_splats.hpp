#pragma once

#include <cmath>
#include <cstddef>
#include <random>

#include "io/points/splats/splat_cloud.hpp"

namespace skde::test {

/// Splats as trained scenes have them: in a box of this half side about an origin, scales from
/// needles to balls, opacities from almost none to almost all, colours and harmonics.
inline io::SplatCloud random_splats(std::size_t count, int bands, unsigned seed, double side = 5,
                                    double origin = 0) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(-1, 1);
  io::SplatCloud splats;
  splats.bands = bands;
  const auto add = [](std::vector<float>& to, double value) {
    to.push_back(static_cast<float>(value));
  };
  for (std::size_t i = 0; i < count; ++i) {
    for (int axis = 0; axis < 3; ++axis) splats.xyz.push_back(origin + side * uniform(random));
    for (int axis = 0; axis < 3; ++axis) add(splats.log_scales, -3 + 2 * uniform(random));
    double q[4], squares = 0;
    for (double& part : q) {
      part = normal(random);
      squares += part * part;
    }
    for (const double part : q) add(splats.rotations, part / std::sqrt(squares));
    add(splats.opacities, 4 * uniform(random));
    for (int colour = 0; colour < 3; ++colour) add(splats.colours, 1.5 * uniform(random));
    for (std::size_t k = 0; k < 3 * splats.harmonics_each(); ++k)
      add(splats.harmonics, 0.2 * normal(random));
  }
  return splats;
}

}  // namespace skde::test
