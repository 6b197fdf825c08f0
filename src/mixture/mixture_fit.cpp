#include "mixture/mixture_fit.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/kernel/anti_aliasing_floor.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "core/report/error.hpp"
#include "engines/mixture_engine.hpp"
#include "engines/mixture_samples.hpp"
#include "mixture/fit_loops.hpp"
#include "mixture/fit_target.hpp"
#include "system/stop_watch.hpp"

namespace skde {
namespace {

/// The most members of a search for the smallest number that reaches an error.
constexpr std::size_t kMostSearched = std::size_t{1} << 17;

MixtureFit fit_members(const FitTarget& target, const FitSpec& spec, std::vector<Member> members,
                       Progress& progress, const FitWatch& watch) {
  const StopWatch clock;
  const Device device = fit_device(target.problem(), members, spec);
  const bool likely = spec.loss == FitLoss::likelihood;
  const std::int64_t steps = (likely ? fit_by_likelihood : fit_by_gradient)(
      target, spec, device, members, progress, watch);
  MixtureFit fit;
  fit.facts = target.judge(members, spec, progress);
  fit.facts.steps = steps;
  fit.facts.seconds = clock.seconds();
  fit.facts.engine = fmt::format("{} on {}", likely ? "expectation-maximisation" : "gradients",
                                 device == Device::cuda ? "a GPU" : "the CPU");
  fit.mixture = mixture_of(members, target.problem());
  fit.mixture.H = target.kernel();
  return fit;
}

MixtureFit fit_to_error(const FitTarget& target, const FitSpec& spec, Progress& progress,
                        const FitWatch& watch) {
  for (std::size_t count = 1; count <= kMostSearched; count *= 2) {
    MixtureFit fit = fit_members(target, spec, target.start(count), progress, watch);
    if (fit.facts.relative_error <= spec.error) return fit;
  }
  throw Error(
      ErrorKind::resources,
      fmt::format("{} members do not reach a relative error of {}", kMostSearched, spec.error),
      {"error", "raise `error` or `steps`"});
}

/// The problem of summing a mixture whose frame is `frame`. The kernel's part of the covariances is
/// as wide as the narrowest member, so that engines know what to expect.
MixtureProblem problem_of(const Mixture& mixture, Target target, const Grid& frame,
                          Precision precision) {
  const SamplesView members = mixture.members.view();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < members.size(); ++k)
    least = std::min(least, eigenvalues_of(in_cells(members.shape(k), frame)).low);
  constexpr double kPart = 0.5, kLeast = 1e-12;
  const double part = std::max(kPart * least, kLeast);
  const Vec3 s = frame.spacing;
  return {std::move(target), frame,
          Symmetric3::diagonal(part * s.x * s.x, part * s.y * s.y, part * s.z * s.z), 0, precision};
}

/// Returns the density at the problem's places, in 1 / (world unit)^3.
std::vector<double> values_of(const Mixture& mixture, const MixtureProblem& problem,
                              const EngineOptions& options, Progress& progress) {
  const std::vector<Member> members = members_of(mixture, problem);
  const auto engine = make_mixture_engine(problem, fit_device(problem, members, {}), options);
  engine->set_members(members);
  engine->sum(progress);
  std::vector<double> values = engine->values();
  for (double& value : values) value /= problem.frame.cell_volume();
  return values;
}

}  // namespace

MixtureFit fit_mixture(const FitInput& input, const FitSpec& spec, Progress& progress,
                       const FitWatch& watch, const Mixture* from) {
  const FitTarget target(input);
  if (spec.loss == FitLoss::likelihood && input.samples.size() == 0)
    throw Error(ErrorKind::usage, "a volume has no samples whose likelihood could be raised",
                {"loss", "use `loss=l2`, or give the cloud"});
  if (from) return fit_members(target, spec, members_of(*from, target.problem()), progress, watch);
  if (spec.members == 0) return fit_to_error(target, spec, progress, watch);
  return fit_members(target, spec, target.start(spec.members), progress, watch);
}

std::vector<double> mixture_at(const Mixture& mixture, const TargetPoints& points,
                               const EngineOptions& options, Progress& progress) {
  if (mixture.size() == 0 || points.size() == 0) return std::vector<double>(points.size(), 0);
  // A cell of the frame is as wide as the first member, and lies beside it.
  const double edge = std::sqrt(mixture.members.view().shape(0).trace() / 3);
  const Grid frame{mixture.members.view().point(0), {edge, edge, edge}, {1, 1, 1}};
  return values_of(mixture, problem_of(mixture, points, frame, Precision::f64), options, progress);
}

Volume mixture_on(const Mixture& mixture, const Grid& grid, Precision precision,
                  const EngineOptions& options, Progress& progress) {
  if (mixture.size() == 0) return {grid, precision};
  std::vector<double> values =
      values_of(mixture, problem_of(mixture, grid, grid, precision), options, progress);
  if (precision == Precision::f64) return {grid, std::move(values)};
  return {grid, std::vector<float>(values.begin(), values.end())};
}

}  // namespace skde
