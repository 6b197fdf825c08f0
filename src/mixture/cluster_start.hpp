#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/mixture/member.hpp"
#include "core/space.hpp"

namespace skde {

/// A place in cells of the grid, with its mass.
struct MassPoint {
  Vec3 at;
  double mass = 0;
};

/// Divides points into so many clusters, each a member with their mass, mean and covariance. A
/// cluster is split at its mean across its longest axis, again and again the one with the largest
/// mass times squared length of that axis (principal direction divisive partitioning, Boley 1998).
/// Returns fewer members if points coincide. The factor of a member is at least `least` cells wide
/// along every axis. The order of `points` changes.
std::vector<Member> clusters_of(std::vector<MassPoint>& points, std::size_t count, double least);

}  // namespace skde
