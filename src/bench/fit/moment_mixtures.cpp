#include "bench/fit/moment_mixtures.hpp"

#include <algorithm>
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
  const std::vector<Member> from = clusters_of(points, count, kLeast);
  progress.throw_if_cancelled();
  return mixture_of(k_means(points, from, iterations, kLeast), problem_of(target));
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
