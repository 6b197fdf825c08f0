#include "mixture/cluster_start.hpp"

#include <algorithm>
#include <cmath>
#include <queue>

namespace skde {
namespace {

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
  for (std::size_t i = first; i < last; ++i) {
    const Vec3 d = points[i].at - cluster.mean;
    cluster.covariance =
        cluster.covariance + points[i].mass * Symmetric3{d.x * d.x, d.x * d.y, d.x * d.z,
                                                         d.y * d.y, d.y * d.z, d.z * d.z};
  }
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

}  // namespace

std::vector<Member> clusters_of(std::vector<MassPoint>& points, std::size_t count, double least) {
  std::priority_queue<Cluster> clusters;
  clusters.push(measured(points, 0, points.size()));
  while (clusters.size() < count && clusters.top().gain > 0) {
    const Cluster whole = clusters.top();
    clusters.pop();
    const auto along = [&](const MassPoint& point) {
      const Vec3 d = point.at - whole.mean;
      return d.x * whole.axis.x + d.y * whole.axis.y + d.z * whole.axis.z < 0;
    };
    const auto begin = points.begin();
    const auto middle = std::partition(begin + static_cast<std::ptrdiff_t>(whole.first),
                                       begin + static_cast<std::ptrdiff_t>(whole.last), along);
    const auto cut = static_cast<std::size_t>(middle - begin);
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
