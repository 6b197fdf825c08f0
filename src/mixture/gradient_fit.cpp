#include <cmath>
#include <numbers>

#include "core/kernel/anti_aliasing_floor.hpp"
#include "engines/mixture_samples.hpp"
#include "engines/registry/mixture_engines.hpp"
#include "mixture/fit_target.hpp"
#include "mixture/member_control.hpp"

namespace skde {
namespace {
/// Steps between two moves of members to where the error is, the share of all steps in which they
/// move, and the share of members that move at once.
constexpr std::int64_t kStepsBetweenMoves = 100;
constexpr double kMovingShare = 0.6, kMovedShare = 0.05;
/// Steps between two looks at the error.
constexpr std::int64_t kStepsBetweenLooks = 50;
/// Width that members get at the start besides their own, so that none is too narrow to grow: in
/// cells, or as a share of the kernel where that is below a cell.
constexpr double kStartWidth = 0.5;
/// Rate of the last step as a share of the first one's.
constexpr double kLastShare = 0.02;

/// How far members move in a step, and how exactly they are summed.
struct Pace {
  double rate;       ///< of the first step
  double tolerance;  ///< of the cut of Gaussians, as a share of the peak
  bool settles;      ///< members keep their order and widths: the start is nearly right
};

/// The cut is at 3.7 deviations. On clouds of 1e5 samples and 4,096 members, a tolerance of 1e-3
/// reached no less error, and 1e-1 a fifth more.
constexpr Pace kFromClusters{0.03, 3e-2, false};
/// For starts that are better than what the pace from clusters reaches, as with a member for every
/// other sample.
constexpr Pace kFromNear{1e-3, 0, true};

AdamStep step_at(const Pace& pace, std::int64_t step, std::int64_t steps) {
  AdamStep adam;
  const double done = static_cast<double>(step) / static_cast<double>(steps);
  const double falling = 0.5 * (1 + std::cos(std::numbers::pi * done));
  adam.mass_rate = adam.mean_rate = adam.factor_rate =
      pace.rate * (kLastShare + (1 - kLastShare) * falling);
  adam.momentum_scale = 1 / (1 - std::pow(adam.momentum, static_cast<double>(step)));
  adam.spread_scale = 1 / (1 - std::pow(adam.spread, static_cast<double>(step)));
  return adam;
}

void widen(std::vector<Member>& members, const Symmetric3& kernel) {
  const Symmetric3 cell = Symmetric3::diagonal(1, 1, 1);
  // The kernel with eigenvalues above 1 lowered to it.
  const Symmetric3 most =
      is_above(kernel, 1) ? cell : kernel + cell + (-1.0) * raise_to_floor(kernel, 1);
  for (Member& member : members)
    set_factor(member, cholesky(factor_of(member).squared() + (kStartWidth * kStartWidth) * most));
}

/// Returns each member's share of the squared error, from the moments of
/// CotangentRule::error_share.
std::vector<double> error_shares(std::span<const Member> members,
                                 std::span<const MemberMoments> moments, const Symmetric3& kernel) {
  std::vector<double> shares(members.size());
  for (std::size_t k = 0; k < members.size(); ++k) {
    const double mass = std::exp(members[k].log_mass);
    shares[k] = mass * gradient_of(mass, covariance_of(members[k], kernel), moments[k]).mass;
  }
  return shares;
}

/// Moves members of the engine, whose values are summed, to where the error is.
void move_to_error(MixtureEngine& engine, const Symmetric3& kernel, Progress& progress) {
  engine.derive(CotangentRule::error_share);
  engine.gather(progress);
  std::vector<Member> members = engine.members();
  const double count = std::ceil(kMovedShare * static_cast<double>(members.size()));
  move_members(members, error_shares(members, engine.moments(), kernel),
               static_cast<std::size_t>(count), kernel);
  sort_members(members);
  engine.set_members(members);
}

/// A run of steps over members that begin anew.
class Descent {
 public:
  Descent(const FitTarget& target, const FitSpec& spec, Device device)
      : target_(target),
        spec_(spec),
        device_(device),
        steps_(spec.steps.value_or(kDefaultGradientSteps)) {}

  /// Moves the members; returns false if `watch` ended it.
  bool run(std::vector<Member>& members, const Pace& pace, Progress& progress,
           const FitWatch& watch) {
    MixtureProblem problem = target_.problem();
    problem.tolerance = pace.tolerance;
    const Symmetric3 kernel = kernel_in_cells(problem);
    const auto engine = make_mixture_engine(problem, device_, spec_.options);
    engine->set_given(target_.masses());
    if (!pace.settles) widen(members, kernel);
    sort_members(members);
    engine->set_members(members);
    progress.begin("fit", static_cast<std::uint64_t>(steps_), "steps");
    bool goes_on = true;
    std::int64_t step = 1;
    for (; step <= steps_; ++step) {
      engine->sum(progress);
      if (!pace.settles && moves_at(step)) {
        move_to_error(*engine, kernel, progress);
        engine->sum(progress);
      }
      engine->derive(CotangentRule::difference);
      if (watch && step % kStepsBetweenLooks == 1 &&
          watch(step - 1, std::sqrt(engine->loss() / target_.squares()))) {
        goes_on = false;
        break;
      }
      engine->gather(progress);
      engine->update({.adam = step_at(pace, step, steps_)});
      progress.update(static_cast<std::uint64_t>(step));
    }
    members = engine->members();
    done_ += step - 1;
    return goes_on;
  }
  std::int64_t done() const { return done_; }

 private:
  bool moves_at(std::int64_t step) const {
    return step % kStepsBetweenMoves == 0 &&
           static_cast<double>(step) < kMovingShare * static_cast<double>(steps_);
  }

  const FitTarget& target_;
  const FitSpec& spec_;
  Device device_;
  std::int64_t steps_, done_ = 0;
};

/// Members and what they reach.
struct Candidate {
  std::vector<Member> members;
  FitFacts facts;
};

Candidate judged(const FitTarget& target, const FitSpec& spec, std::vector<Member> members,
                 Progress& progress) {
  FitFacts facts = target.judge(members, spec, progress);
  return {std::move(members), std::move(facts)};
}

}  // namespace

FitFacts fit_by_gradient(const FitTarget& target, const FitSpec& spec, Device device,
                         std::vector<Member>& members, Progress& progress, const FitWatch& watch) {
  Descent descent(target, spec, device);
  Candidate best = judged(target, spec, members, progress);
  // Narrow members may follow the values at cells and lose what lies between them.
  const double most = target.squared_distance(best.members, spec, progress);
  const auto take = [&](std::vector<Member> found) {
    Candidate other = judged(target, spec, std::move(found), progress);
    if (other.facts.relative_error < best.facts.relative_error &&
        target.squared_distance(other.members, spec, progress) <= most)
      best = std::move(other);
  };
  const double start = best.facts.relative_error;
  std::vector<Member> moved = members;
  const bool goes_on = descent.run(moved, kFromClusters, progress, watch);
  take(std::move(moved));
  if (goes_on && best.facts.relative_error >= start) {
    std::vector<Member> settled = members;
    descent.run(settled, kFromNear, progress, watch);
    take(std::move(settled));
  }
  members = std::move(best.members);
  best.facts.steps = descent.done();
  return best.facts;
}

}  // namespace skde
