#include <algorithm>
#include <array>
#include <cmath>

#include "core/kernel/kernel_shape.hpp"
#include "engines/mixture_samples.hpp"
#include "engines/registry/mixture_engines.hpp"
#include "mixture/fit_target.hpp"
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

/// Returns, for each member, the sum over samples of a number times the share of the sample that
/// the member is responsible for, up to a factor of the member's own.
std::vector<double> responsible_sums(MixtureEngine& engine, const std::vector<double>& given,
                                     Progress& progress) {
  engine.set_given(given);
  engine.derive(CotangentRule::likelihood);
  engine.gather(progress);
  std::vector<double> sums;
  for (const MemberMoments& moments : engine.moments()) sums.push_back(moments.of[0]);
  return sums;
}

/// Adds the mean of the samples' own kernels to the covariance of each member that is responsible
/// for them. The kernel's part, which all members have, is the rest of it.
void add_own_kernels(MixtureEngine& engine, const FitTarget& target,
                     const std::vector<double>& weights, std::vector<Member>& members,
                     Progress& progress) {
  const std::span<const double> own = target.own_kernels();
  if (own.empty()) return;
  engine.sum(progress);
  const std::vector<double> all = responsible_sums(engine, weights, progress);
  std::array<std::vector<double>, 6> sums;
  std::vector<double> given(weights.size());
  for (std::size_t entry = 0; entry < 6; ++entry) {
    for (std::size_t i = 0; i < given.size(); ++i) given[i] = weights[i] * own[6 * i + entry];
    sums[entry] = responsible_sums(engine, given, progress);
  }
  engine.set_given(weights);
  const Symmetric3 kernel = kernel_in_cells(target.problem());
  for (std::size_t k = 0; k < members.size(); ++k) {
    if (!(all[k] > 0)) continue;
    const Symmetric3 sum{sums[0][k], sums[1][k], sums[2][k], sums[3][k], sums[4][k], sums[5][k]};
    const Symmetric3 mean = in_cells((1 / all[k]) * sum, target.grid());
    const Triangle3 l = cholesky(factor_of(members[k]).squared() + mean + (-1.0) * kernel);
    if (l.xx > 0 && l.yy > 0 && l.zz > 0) set_factor(members[k], l);
  }
}

}  // namespace

FitFacts fit_by_likelihood(const FitTarget& target, const FitSpec& spec, Device device,
                           std::vector<Member>& members, Progress& progress,
                           const FitWatch& watch) {
  const SamplesView& samples = target.samples();
  MixtureProblem problem = target.problem();
  problem.target = TargetPoints({samples.xyz.begin(), samples.xyz.end()});
  problem.kernel = kFittedKernel * target.kernel_of_a_cell();
  const Symmetric3 kernel = kernel_in_cells(problem);
  const auto engine = make_mixture_engine(problem, device, spec.options);
  const std::vector<double> weights = target.sample_shares();
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
    engine->update({.maximises = true});
    progress.update(static_cast<std::uint64_t>(step));
    if (step % kStepsBetweenChecks != 0) continue;
    members = engine->members();
    if (revive(members, kernel)) engine->set_members(members);
    if (!watch) continue;
    std::vector<Member> so_far = members;
    add_own_kernels(*engine, target, weights, so_far, progress);
    if (watch(step, target.judge(so_far, spec, progress).relative_error)) break;
  }
  members = engine->members();
  add_own_kernels(*engine, target, weights, members, progress);
  FitFacts facts = target.judge(members, spec, progress);
  facts.steps = std::min(step, steps);
  return facts;
}

}  // namespace skde
