#include "bench/fit/moment_mixtures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engines/mixture_samples.hpp"
#include "mixture/cluster_start.hpp"
#include "mixture/member_control.hpp"

namespace skde::bench {
namespace {

/// Keeps covariances regular, in cells.
constexpr double kLeast = 0.01;

/// The samples, or the cells of a volume.
std::vector<MassPoint> points_of(const FitTarget& target) {
  return target.samples().size() > 0 ? target.sample_points() : target.cell_points();
}

double squared_distance(const Vec3& a, const Vec3& b) {
  const Vec3 d = a - b;
  return d.x * d.x + d.y * d.y + d.z * d.z;
}

/// Returns the centre nearest to a place; the centres are sorted by x, so that those farther along
/// x than the nearest one so far need no look.
std::size_t nearest(const std::vector<Vec3>& centres, const Vec3& place) {
  const auto after = std::ranges::lower_bound(centres, place.x, {}, &Vec3::x);
  const auto middle = after - centres.begin();
  double least = std::numeric_limits<double>::infinity();
  std::size_t best = 0;
  const auto look = [&](std::ptrdiff_t k) {
    const auto at = static_cast<std::size_t>(k);
    const double along = centres[at].x - place.x;
    if (along * along >= least) return false;
    if (const double d = squared_distance(centres[at], place); d < least) {
      least = d;
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

/// Sums over the points of one cluster.
struct ClusterSums {
  double mass = 0;
  Vec3 first{};         ///< sum of mass times place, from the centre
  Symmetric3 second{};  ///< sum of mass times place times place, from the centre
};

std::vector<ClusterSums> sums_of(const std::vector<MassPoint>& points,
                                 const std::vector<Vec3>& centres) {
  std::vector<std::size_t> of(points.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < std::ssize(points); ++i)
    of[static_cast<std::size_t>(i)] = nearest(centres, points[static_cast<std::size_t>(i)].at);
  std::vector<ClusterSums> sums(centres.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    ClusterSums& sum = sums[of[i]];
    const double mass = points[i].mass;
    const Vec3 d = points[i].at - centres[of[i]];
    sum.mass += mass;
    sum.first = sum.first + mass * d;
    sum.second = sum.second + mass * Symmetric3{d.x * d.x, d.x * d.y, d.x * d.z,
                                                d.y * d.y, d.y * d.z, d.z * d.z};
  }
  return sums;
}

Member member_of(const ClusterSums& sums, const Vec3& centre) {
  Member member;
  const Vec3 d = (1 / sums.mass) * sums.first, mean = centre + d;
  const Symmetric3 covariance =
      (1 / sums.mass) * sums.second +
      (-1.0) * Symmetric3{d.x * d.x, d.x * d.y, d.x * d.z, d.y * d.y, d.y * d.z, d.z * d.z} +
      Symmetric3::diagonal(kLeast * kLeast, kLeast * kLeast, kLeast * kLeast);
  set_factor(member, cholesky(covariance));
  member.log_mass = std::log(sums.mass);
  for (int axis = 0; axis < 3; ++axis) member.mean[axis] = mean[axis];
  return member;
}

/// The problem of the target with H of its density as the kernel's part, however narrow.
MixtureProblem problem_of(const FitTarget& target) {
  MixtureProblem problem = target.problem();
  if (target.samples().size() > 0) problem.kernel = target.kernel();
  return problem;
}

}  // namespace

Mixture kmeans_mixture(const FitTarget& target, std::size_t count, int iterations,
                       const Progress& progress) {
  std::vector<MassPoint> points = points_of(target);
  std::vector<Vec3> centres;
  for (const Member& member : clusters_of(points, count, kLeast))
    centres.push_back({member.mean[0], member.mean[1], member.mean[2]});
  for (int iteration = 0;; ++iteration) {
    progress.throw_if_cancelled();
    std::ranges::sort(centres, {}, &Vec3::x);
    const std::vector<ClusterSums> sums = sums_of(points, centres);
    std::vector<Member> members;
    for (std::size_t k = 0; k < sums.size(); ++k)
      if (sums[k].mass > 0) members.push_back(member_of(sums[k], centres[k]));
    if (iteration == iterations) return mixture_of(members, problem_of(target));
    centres.clear();
    for (const Member& member : members)
      centres.push_back({member.mean[0], member.mean[1], member.mean[2]});
  }
}

Mixture merged_mixture(const FitTarget& target, std::size_t count) {
  constexpr std::size_t kTimesMore = 4;
  std::vector<MassPoint> points = points_of(target);
  std::vector<Member> members =
      clusters_of(points, std::min(kTimesMore * count, points.size()), kLeast);
  merge_members(members, count, kernel_in_cells(problem_of(target)));
  return mixture_of(members, problem_of(target));
}

}  // namespace skde::bench
