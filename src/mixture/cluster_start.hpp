#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "core/mixture/member.hpp"
#include "core/space/space.hpp"

namespace skde {

/// A place in cells of the grid, with its mass.
struct MassPoint {
  Vec3 at;
  double mass = 0;
};

/// How far the cuts and merges of a start stray from the plain ones. Seed 1 draws nothing: other
/// seeds are other starts.
class StartDraws {
 public:
  explicit StartDraws(std::uint64_t seed) : plain_(seed == 1), random_(seed) {}
  /// Between -1 and 1; 0 for seed 1.
  double next() { return plain_ ? 0 : 2 * (static_cast<double>(random_() >> 11) * 0x1p-53) - 1; }

 private:
  bool plain_;
  std::mt19937_64 random_;
};

/// Divides points into so many clusters, each a member with their mass, mean and covariance. A
/// cluster is split at its mean across its longest axis, again and again the one with the largest
/// mass times squared length of that axis (principal direction divisive partitioning, Boley 1998).
/// Returns fewer members if points coincide. The factor of a member is at least `least` cells wide
/// along every axis. The order of `points` changes. `draws` shifts the cuts.
std::vector<Member> clusters_of(std::vector<MassPoint>& points, std::size_t count, double least,
                                StartDraws draws = StartDraws(1));

/// Returns the clusters of points by so many of Lloyd's iterations from the means of `from`
/// (k-means), as clusters_of() does. Clusters that end without points are left out.
std::vector<Member> k_means(std::span<const MassPoint> points, std::span<const Member> from,
                            int iterations, double least);

}  // namespace skde
