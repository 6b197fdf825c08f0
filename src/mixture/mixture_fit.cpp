#include "mixture/mixture_fit.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/kernel/anti_aliasing_floor.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "core/report/error.hpp"
#include "engines/mixture_samples.hpp"
#include "engines/registry/mixture_engines.hpp"
#include "mixture/fit_target.hpp"
#include "system/stop_watch.hpp"

namespace skde {
namespace {

/// The most members of a search for the smallest number that reaches an error.
constexpr std::size_t kMostSearched = std::size_t{1} << 17;

Mixture scaled(Mixture mixture, double factor) {
  for (double& mass : mixture.members.weights) mass *= factor;
  return mixture;
}

MixtureFit fit_members(const FitTarget& target, const FitSpec& spec, std::vector<Member> members,
                       Progress& progress, const FitWatch& watch) {
  const StopWatch clock;
  const Device device = fit_device(target.problem(), members, spec);
  const bool likely = spec.loss == FitLoss::likelihood;
  MixtureFit fit;
  fit.facts = (likely ? fit_by_likelihood : fit_by_gradient)(target, spec, device, members,
                                                             progress, watch);
  fit.facts.seconds = clock.seconds();
  fit.facts.engine = fmt::format("{} on {}", likely ? "expectation-maximisation" : "gradients",
                                 device == Device::cuda ? "a GPU" : "the CPU");
  fit.facts.divergence = target.divergence(members, spec, progress);
  fit.mixture = scaled(mixture_of(members, target.problem()), target.mass());
  fit.mixture.H = target.kernel();
  return fit;
}

/// Doubles the members until they reach the error, or until `watch` ends a fit.
MixtureFit fit_to_error(const FitTarget& target, const FitSpec& spec, Progress& progress,
                        const FitWatch& watch) {
  bool ended = false;
  const FitWatch ending = [&](std::int64_t step, double error) {
    return ended = watch && watch(step, error);
  };
  const std::size_t most = std::min(target.most_members(), kMostSearched);
  std::size_t count = 1;
  for (; count <= most; count *= 2) {
    MixtureFit fit =
        fit_members(target, spec, target.start(count, spec, progress), progress, ending);
    if (ended || fit.facts.relative_error <= spec.error) return fit;
  }
  throw Error(ErrorKind::resources,
              fmt::format("{} members do not reach a relative error of {}", count / 2, spec.error),
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
  return {std::move(target), frame, in_world(Symmetric3::diagonal(part, part, part), frame), 0,
          precision};
}

void require_finite(const Target& target) {
  const auto* const points = std::get_if<TargetPoints>(&target);
  if (!points) return;
  const std::span<const double> xyz = points->xyz();
  const auto bad = std::ranges::find_if_not(xyz, [](double at) { return std::isfinite(at); });
  if (bad == xyz.end()) return;
  const auto i = static_cast<std::size_t>(bad - xyz.begin());
  throw Error(ErrorKind::usage,
              fmt::format("the {1} of point {0} must be finite", i / 3 + 1, kAxisNames[i % 3]),
              {"points", {}});
}

/// The problem of summing a mixture at a grid or at points, whose frame has cells as wide as the
/// narrowest member: so none is too narrow for the cells.
MixtureProblem problem_of(const Mixture& mixture, const Target& target, Precision precision) {
  if (const auto* const grid = std::get_if<Grid>(&target))
    return problem_of(mixture, *grid, *grid, precision);
  const SamplesView members = mixture.members.view();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < members.size(); ++k)
    least = std::min(least, eigen_decomposition(members.shape(k)).values[0]);
  const double edge = std::sqrt(least);
  return problem_of(mixture, target, {members.point(0), {edge, edge, edge}, {1, 1, 1}}, precision);
}

/// Returns the density at the problem's places, in 1 / (world unit)^3. Sums are shares of the mass,
/// whose unit does not matter then.
std::vector<double> values_of(const Mixture& mixture, const MixtureProblem& problem,
                              const EngineOptions& options, Progress& progress) {
  const double mass = *std::ranges::max_element(mixture.members.weights);
  if (!(mass > 0))
    return std::vector<double>(static_cast<std::size_t>(target_size(problem.target)));
  const std::vector<Member> members = members_of(scaled(mixture, 1 / mass), problem);
  const auto engine = make_mixture_engine(problem, fit_device(problem, members, {}), options);
  engine->set_members(members);
  engine->sum(progress);
  std::vector<double> values = engine->values();
  for (double& value : values) value *= mass / problem.frame.cell_volume();
  return values;
}

}  // namespace

MixtureFit fit_mixture(const FitInput& input, const FitSpec& spec, Progress& progress,
                       const FitWatch& watch, const Mixture* from) {
  const FitTarget target(input);
  if (spec.loss == FitLoss::likelihood && input.samples.size() == 0)
    throw Error(ErrorKind::usage, "a volume has no samples whose likelihood could be raised",
                {"loss", "use `loss=l2`, or give the cloud"});
  if (spec.loss == FitLoss::likelihood && input.kernel == Symmetric3{} && input.own_kernels.empty())
    throw Error(ErrorKind::unsupported,
                "expectation-maximisation needs the kernels of the samples, which are not known",
                {"loss", "use `loss=l2`"});
  if (from)
    return fit_members(target, spec, members_of(scaled(*from, 1 / target.mass()), target.problem()),
                       progress, watch);
  if (spec.members == 0) return fit_to_error(target, spec, progress, watch);
  return fit_members(target, spec, target.start(spec.members, spec, progress), progress, watch);
}

std::vector<double> mixture_at(const Mixture& mixture, const TargetPoints& points,
                               const EngineOptions& options, Progress& progress) {
  require_finite(points);
  if (mixture.size() == 0 || points.size() == 0) return std::vector<double>(points.size(), 0);
  return values_of(mixture, problem_of(mixture, points, Precision::f64), options, progress);
}

std::vector<double> mixture_logs_at(const Mixture& mixture, const TargetPoints& points,
                                    const EngineOptions& options, Progress& progress) {
  require_finite(points);
  return log_densities(mixture, points.xyz(), options.threads, progress);
}

Volume mixture_on(const Mixture& mixture, const Grid& grid, Precision precision,
                  const EngineOptions& options, Progress& progress) {
  if (mixture.size() == 0) return {grid, precision};
  std::vector<double> values =
      values_of(mixture, problem_of(mixture, grid, precision), options, progress);
  if (precision == Precision::f64) return {grid, std::move(values)};
  return {grid, std::vector<float>(values.begin(), values.end())};
}

std::vector<MemberGradient> mixture_gradient(const Mixture& mixture, const Target& target,
                                             std::span<const double> cotangents,
                                             const EngineOptions& options, Progress& progress) {
  if (std::cmp_not_equal(cotangents.size(), target_size(target)))
    throw Error(ErrorKind::usage,
                fmt::format("{} derivatives are given for {} values", cotangents.size(),
                            target_size(target)),
                {"cotangents", "give one for each point or cell"});
  require_finite(target);
  if (mixture.size() == 0 || cotangents.empty()) return std::vector<MemberGradient>(mixture.size());
  const MixtureProblem problem = problem_of(mixture, target, Precision::f64);
  const std::vector<Member> members = members_of(mixture, problem);
  const auto engine = make_mixture_engine(problem, fit_device(problem, members, {}), options);
  engine->set_members(members);
  engine->set_cotangents(cotangents);
  engine->gather(progress);
  const std::vector<MemberMoments> moments = engine->moments();
  const Symmetric3 kernel = kernel_in_cells(problem);
  const double volume = problem.frame.cell_volume();  // m in cells is m times it
  const Vec3 s = problem.frame.spacing;
  std::vector<MemberGradient> gradients(members.size());
  for (std::size_t k = 0; k < members.size(); ++k) {
    MemberGradient& to = gradients[k];
    to = gradient_of(mixture.members.view().weight(k), covariance_of(members[k], kernel),
                     moments[k]);
    to.mass /= volume;
    to.mean = (1 / volume) * Vec3{to.mean.x / s.x, to.mean.y / s.y, to.mean.z / s.z};
    to.covariance = (1 / volume) * in_cells(to.covariance, problem.frame);
  }
  return gradients;
}

}  // namespace skde
