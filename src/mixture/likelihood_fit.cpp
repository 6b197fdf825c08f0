#include <algorithm>
#include <cmath>
#include <numbers>

#include "engines/mixture_samples.hpp"
#include "mixture/fit_loops.hpp"
#include "mixture/member_control.hpp"

namespace skde {
namespace {

/// Steps between two looks at the error, and at members without mass.
constexpr std::int64_t kStepsBetweenChecks = 10;

/// The share of the kernel's covariance that members have while samples are assigned to them. The
/// samples themselves are points: with all of the kernel, members would share samples that are far
/// apart, and fall into one another.
constexpr double kFittedKernel = 0.02;

/// Members whose mass is below this share of the mean are replaced.
constexpr double kLeastShare = 1e-6;

/// Gives members that lost their mass half of the heaviest one's. Returns whether there were any.
bool revive(std::vector<Member>& members, const Symmetric3& kernel) {
  double mass = 0;
  for (const Member& member : members) mass += std::exp(member.log_mass);
  const double least = std::log(kLeastShare * mass / static_cast<double>(members.size()));
  bool any = false;
  for (Member& member : members) {
    if (member.log_mass >= least) continue;
    member = split_member(*std::ranges::max_element(members, {}, &Member::log_mass), kernel);
    any = true;
  }
  return any;
}

}  // namespace

FitFacts fit_by_likelihood(const FitTarget& target, const FitSpec& spec, Device device,
                           std::vector<Member>& members, Progress& progress,
                           const FitWatch& watch) {
  const SamplesView& samples = target.samples();
  MixtureProblem problem = target.problem();
  problem.target = TargetPoints({samples.xyz.begin(), samples.xyz.end()});
  problem.kernel = kFittedKernel * problem.kernel;
  const Symmetric3 kernel = kernel_in_cells(problem);
  const auto engine = make_mixture_engine(problem, device, spec.options);
  std::vector<double> weights(samples.size());
  double total = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) total += weights[i] = samples.weight(i);
  engine->set_given(weights);
  sort_members(members);
  engine->set_members(members);
  const std::int64_t steps = spec.steps.value_or(kDefaultMaximisingSteps);
  progress.begin("fit", static_cast<std::uint64_t>(steps), "steps");
  std::int64_t step = 1;
  for (; step <= steps; ++step) {
    engine->sum(progress);
    engine->derive(CotangentRule::likelihood);
    engine->gather(progress);
    engine->update({.maximises = true, .total_weight = total});
    progress.update(static_cast<std::uint64_t>(step));
    if (step % kStepsBetweenChecks != 0) continue;
    members = engine->members();
    if (revive(members, kernel)) engine->set_members(members);
    std::vector<Member> so_far = members;
    if (watch && watch(step, target.judge(so_far, spec, progress).relative_error)) break;
  }
  members = engine->members();
  FitFacts facts = target.judge(members, spec, progress);
  facts.steps = std::min(step, steps);
  return facts;
}

}  // namespace skde
