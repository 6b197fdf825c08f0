#include "mixture/cluster_start.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

namespace skde {
namespace {

Symmetric3 square_of(Vec3 d) {
  return {d.x * d.x, d.x * d.y, d.x * d.z, d.y * d.y, d.y * d.z, d.z * d.z};
}

/// Points [first, last), their mass, mean and covariance, and the longest axis.
struct Cluster {
  std::size_t first = 0, last = 0;
  double mass = 0;
  Vec3 mean;
  Symmetric3 covariance;
  Vec3 axis;
  double gain = 0;  ///< mass times the variance along the axis

  friend bool operator<(const Cluster& a, const Cluster& b) { return a.gain < b.gain; }
};

Cluster measured(const std::vector<MassPoint>& points, std::size_t first, std::size_t last) {
  Cluster cluster;
  cluster.first = first;
  cluster.last = last;
  for (std::size_t i = first; i < last; ++i) {
    cluster.mass += points[i].mass;
    cluster.mean = cluster.mean + points[i].mass * points[i].at;
  }
  if (!(cluster.mass > 0)) return cluster;
  cluster.mean = (1 / cluster.mass) * cluster.mean;
  for (std::size_t i = first; i < last; ++i)
    cluster.covariance =
        cluster.covariance + points[i].mass * square_of(points[i].at - cluster.mean);
  cluster.covariance = (1 / cluster.mass) * cluster.covariance;
  const Eigen3 eigen = eigen_decomposition(cluster.covariance);
  cluster.axis = eigen.vectors[2];
  cluster.gain = cluster.mass * std::max(eigen.values[2], 0.0);
  return cluster;
}

Member member_of(const Cluster& cluster, double least) {
  Member member;
  member.log_mass = std::log(cluster.mass);
  for (int axis = 0; axis < 3; ++axis) member.mean[axis] = cluster.mean[axis];
  const Triangle3 l = cholesky(cluster.covariance +
                               Symmetric3::diagonal(least * least, least * least, least * least));
  set_factor(member, l);
  return member;
}

/// Moves the points below the cluster's mean plus `shift`, along its axis, to its front, and
/// returns the first of the others.
std::size_t cut_at(std::vector<MassPoint>& points, const Cluster& whole, double shift) {
  const auto below = [&](const MassPoint& point) {
    const Vec3 d = point.at - whole.mean;
    return d.x * whole.axis.x + d.y * whole.axis.y + d.z * whole.axis.z < shift;
  };
  const auto begin = points.begin();
  const auto middle = std::partition(begin + static_cast<std::ptrdiff_t>(whole.first),
                                     begin + static_cast<std::ptrdiff_t>(whole.last), below);
  return static_cast<std::size_t>(middle - begin);
}

/// Returns the centre nearest to a place; the centres are sorted by x, so that those farther along
/// x than the nearest one so far need no look.
std::size_t nearest(const std::vector<Vec3>& centres, const Vec3& place) {
  const auto middle = std::ranges::lower_bound(centres, place.x, {}, &Vec3::x) - centres.begin();
  double least = std::numeric_limits<double>::infinity();
  std::size_t best = 0;
  const auto look = [&](std::ptrdiff_t k) {
    const auto at = static_cast<std::size_t>(k);
    const Vec3 d = centres[at] - place;
    if (d.x * d.x >= least) return false;
    if (const double square = d.x * d.x + d.y * d.y + d.z * d.z; square < least) {
      least = square;
      best = at;
    }
    return true;
  };
  bool up = true, down = true;
  for (std::ptrdiff_t k = 0; up || down; ++k) {
    up = up && middle + k < std::ssize(centres) && look(middle + k);
    down = down && middle - 1 - k >= 0 && look(middle - 1 - k);
  }
  return best;
}

/// Returns the masses, means and covariances of the points nearest to each centre.
std::vector<Cluster> clusters_about(std::span<const MassPoint> points,
                                    const std::vector<Vec3>& centres) {
  std::vector<std::size_t> of(points.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < std::ssize(points); ++i)
    of[static_cast<std::size_t>(i)] = nearest(centres, points[static_cast<std::size_t>(i)].at);
  std::vector<Cluster> clusters(centres.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    Cluster& cluster = clusters[of[i]];
    const Vec3 d = points[i].at - centres[of[i]];
    cluster.mass += points[i].mass;
    cluster.mean = cluster.mean + points[i].mass * d;
    cluster.covariance = cluster.covariance + points[i].mass * square_of(d);
  }
  for (std::size_t k = 0; k < clusters.size(); ++k) {
    Cluster& cluster = clusters[k];
    if (!(cluster.mass > 0)) continue;
    const Vec3 d = (1 / cluster.mass) * cluster.mean;
    cluster.mean = centres[k] + d;
    cluster.covariance = (1 / cluster.mass) * cluster.covariance + (-1.0) * square_of(d);
  }
  std::erase_if(clusters, [](const Cluster& cluster) { return !(cluster.mass > 0); });
  return clusters;
}

}  // namespace

std::vector<Member> k_means(std::span<const MassPoint> points, std::span<const Member> from,
                            int iterations, double least) {
  std::vector<Vec3> centres;
  for (const Member& member : from)
    centres.push_back({member.mean[0], member.mean[1], member.mean[2]});
  std::vector<Cluster> clusters;
  for (int iteration = 0; iteration <= iterations; ++iteration) {
    std::ranges::sort(centres, {}, &Vec3::x);
    clusters = clusters_about(points, centres);
    centres.clear();
    for (const Cluster& cluster : clusters) centres.push_back(cluster.mean);
  }
  std::vector<Member> members;
  for (const Cluster& cluster : clusters) members.push_back(member_of(cluster, least));
  return members;
}

std::vector<Member> clusters_of(std::vector<MassPoint>& points, std::size_t count, double least,
                                StartDraws draws) {
  constexpr double kStray = 0.3;  // deviations
  std::priority_queue<Cluster> clusters;
  clusters.push(measured(points, 0, points.size()));
  while (clusters.size() < count && clusters.top().gain > 0) {
    const Cluster whole = clusters.top();
    clusters.pop();
    const double shift = kStray * draws.next() * std::sqrt(whole.gain / whole.mass);
    std::size_t cut = cut_at(points, whole, shift);
    if (cut == whole.first || cut == whole.last) cut = cut_at(points, whole, 0);
    for (const Cluster& part :
         {measured(points, whole.first, cut), measured(points, cut, whole.last)})
      clusters.push(part);
    // Rounding put all points on one side: they count as one place.
    if (cut == whole.first || cut == whole.last) break;
  }
  std::vector<Member> members;
  members.reserve(clusters.size());
  for (; !clusters.empty(); clusters.pop())
    if (clusters.top().mass > 0) members.push_back(member_of(clusters.top(), least));
  return members;
}

}  // namespace skde
