#pragma once

#include <cstdint>

#include "core/cloud/samples.hpp"
#include "core/space/space.hpp"

namespace skde {

/// Seeded clouds with the same bits on every machine. Sample i depends only on (seed, i) and uses
/// only operations that IEEE 754 rounds exactly, so any range can be made on its own.

/// The benchmark cloud of the S-KDE papers: five Gaussians with centres uniform in [-1, 1]^3 and
/// variances uniform in (0, 1] per axis; sample i comes from Gaussian i mod 5. It is evaluated in
/// benchmark_box().
Samples make_five_gaussians(std::uint64_t seed, std::uint64_t first, std::uint64_t count);

/// [-5, 5]^3.
Box benchmark_box();

/// Samples uniform in the unit cube [0, 1)^3.
Samples make_uniform_cloud(std::uint64_t seed, std::uint64_t first, std::uint64_t count);

// Clouds in benchmark_box() that are hard for methods which divide space evenly.

/// Samples along a curve that winds through the box, 0.05 thick.
Samples make_filament(std::uint64_t seed, std::uint64_t first, std::uint64_t count);
/// Samples on a saddle that spans the box, 0.02 thick.
Samples make_surface(std::uint64_t seed, std::uint64_t first, std::uint64_t count);
/// Nine of ten samples within a ball 0.05 wide, the others all over the box.
Samples make_clump(std::uint64_t seed, std::uint64_t first, std::uint64_t count);

/// A forest plot of 120 m by 90 m as an airborne laser scanner sees it, in metres of a projected
/// coordinate system (x near 4.5e5, y near 5.1e6): sloping ground, crowns and stems of about 200
/// trees.
Samples make_forest(std::uint64_t seed, std::uint64_t first, std::uint64_t count);

}  // namespace skde
