#include "engines/mixture_samples.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/kernel/anti_aliasing_floor.hpp"
#include "core/kernel/kernel_shape.hpp"

namespace skde {
Symmetric3 kernel_in_cells(const MixtureProblem& problem) {
  return in_cells(problem.kernel, problem.frame);
}

Problem summed_problem(const MixtureProblem& problem) {
  Problem summed;
  summed.kernel = {KernelFunction::gaussian, problem.kernel, problem.tolerance};
  summed.target = problem.target;
  summed.total_weight = 1 / problem.frame.cell_volume();
  summed.precision = problem.precision;
  // No member is narrower than the kernel's part. Engines sum wider ones with less effort.
  constexpr double kRounding = 0.999;
  const double least = eigenvalues_of(kernel_in_cells(problem)).low;
  summed.min_width = kRounding * std::sqrt(std::max(least, 0.0));
  return summed;
}

void append_member(Samples& to, const Member& member, const Symmetric3& kernel_in_cells,
                   const Grid& frame) {
  const Vec3 first = frame.first_centre();
  for (int axis = 0; axis < 3; ++axis)
    to.xyz.push_back(first[axis] + member.mean[axis] * frame.spacing[axis]);
  to.weights.push_back(std::exp(member.log_mass));
  const Symmetric3 m = in_world(covariance_of(member, kernel_in_cells), frame);
  to.shapes.insert(to.shapes.end(), {m.xx, m.xy, m.xz, m.yy, m.yz, m.zz});
}

std::vector<Member> members_of(const Mixture& mixture, const MixtureProblem& problem) {
  constexpr double kLeast = kLeastFactor * kLeastFactor, kLeastMass = 1e-300;
  const Symmetric3 kernel = kernel_in_cells(problem);
  const SamplesView from = mixture.members.view();
  std::vector<Member> members(from.size());
  for (std::size_t k = 0; k < from.size(); ++k) {
    Member& to = members[k];
    const Vec3 mean = problem.frame.to_cells(from.point(k));
    for (int axis = 0; axis < 3; ++axis) to.mean[axis] = mean[axis];
    to.log_mass = std::log(std::max(from.weight(k), kLeastMass));
    Symmetric3 own = in_cells(from.shape(k), problem.frame) + (-1.0) * kernel;
    if (!is_above(own, kLeast)) own = raise_to_floor(own, kLeast);
    const Triangle3 l = cholesky(own);
    set_factor(to, l);
  }
  return members;
}

Mixture mixture_of(std::span<const Member> members, const MixtureProblem& problem) {
  Mixture mixture{{}, problem.kernel};
  const Symmetric3 kernel = kernel_in_cells(problem);
  for (const Member& member : members)
    append_member(mixture.members, member, kernel, problem.frame);
  return mixture;
}

double mixture_pairs(const MixtureProblem& problem, std::size_t members,
                     const Symmetric3& typical) {
  const Symmetric3 h = in_cells(typical, problem.frame);
  const double cut = summed_problem(problem).kernel.cut();
  const double deviation = std::sqrt(std::max(h.trace() / 3, 1e-6));
  const double ball = 4 * std::numbers::pi / 3 * std::pow(cut * deviation, 3);
  const double cells = static_cast<double>(problem.frame.cells());
  const double density = static_cast<double>(target_size(problem.target)) / std::max(cells, 1.0);
  return static_cast<double>(members) * std::min(ball, cells) * density;
}

}  // namespace skde
