#include "mixture/mixture_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/kernel/anti_aliasing_floor.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "core/report/error.hpp"
#include "engines/mixture_engine.hpp"
#include "engines/mixture_samples.hpp"
#include "mixture/cluster_start.hpp"
#include "mixture/member_control.hpp"
#include "system/stop_watch.hpp"

namespace skde {
namespace {

double env(const char* name, double d) { const char* v = std::getenv(name); return v ? std::atof(v) : d; }

/// f in cells: the mass of each cell.
std::vector<double> masses_of(const Volume& volume) {
  const double cell = volume.grid().cell_volume();
  std::vector<double> masses;
  std::visit([&](const auto& values) {
    masses.reserve(values.size());
    for (const auto value : values) masses.push_back(cell * static_cast<double>(value));
  }, volume.value_span());
  return masses;
}

}  // namespace

MixtureFit fit_mixture(const FitInput& input, const FitSpec& spec, Progress& progress,
                       const FitWatch& watch, const Mixture*) {
  const StopWatch clock;
  const Grid& grid = input.volume->grid();
  const std::vector<double> given = masses_of(*input.volume);
  MixtureProblem problem;
  problem.target = grid;
  problem.frame = grid;
  problem.tolerance = env("TOL", 1e-2);
  Symmetric3 h = in_cells(input.kernel, grid);
  if (!is_above(h, 1)) h = raise_to_floor(h, 1);
  const Symmetric3 per = in_cells({1, 1, 1, 1, 1, 1}, grid);
  problem.kernel = {h.xx / per.xx, h.xy / per.xy, h.xz / per.xz, h.yy / per.yy, h.yz / per.yz, h.zz / per.zz};
  std::vector<MassPoint> points;
  double mass = 0, squares = 0, peak = 0;
  for (const double m : given) { mass += m; squares += m * m; peak = std::max(peak, m); }
  if (input.samples.size() >= spec.members) {
    double w = 0;
    for (std::size_t i = 0; i < input.samples.size(); ++i) w += input.samples.weight(i);
    for (std::size_t i = 0; i < input.samples.size(); ++i)
      points.push_back({grid.to_cells(input.samples.point(i)), input.samples.weight(i) * mass / w});
  } else {
    std::size_t i = 0;
    for (std::int64_t z = 0; z < grid.dims[2]; ++z)
      for (std::int64_t y = 0; y < grid.dims[1]; ++y)
        for (std::int64_t x = 0; x < grid.dims[0]; ++x, ++i)
          if (given[i] > 0) points.push_back({{double(x), double(y), double(z)}, given[i]});
  }
  std::vector<Member> members = clusters_of(points, spec.members, env("LEAST", 0.5));
  const auto engine = make_mixture_engine(problem, spec.device.value_or(Device::cpu), spec.options);
  engine->set_given(given);
  engine->set_members(members);
  const std::int64_t steps = spec.steps.value_or(kDefaultGradientSteps);
  const double rate = env("RATE", 0.03), last = env("LAST", 0.02), b1 = env("B1", 0.9), b2 = env("B2", 0.99);
  const int every = int(env("EVERY", 100));
  const double share = env("SHARE", 0.05), until = env("UNTIL", 0.6);
  MixtureUpdate update;
  progress.begin("fit", static_cast<std::uint64_t>(steps), "steps");
  for (std::int64_t t = 1; t <= steps; ++t) {
    engine->sum(progress);
    if (t > 1 && t % every == 1 && double(t) < until * double(steps) && share > 0) {
      engine->derive(CotangentRule::error_share);
      engine->gather(progress);
      members = engine->members();
      const auto moments = engine->moments();
      std::vector<double> shares(members.size());
      const Symmetric3 k = kernel_in_cells(problem);
      for (std::size_t i = 0; i < members.size(); ++i)
        shares[i] = std::exp(members[i].log_mass) / cholesky(covariance_of(members[i], k)).determinant() * moments[i].of[0];
      move_members(members, shares, static_cast<std::size_t>(share * double(members.size()) + 0.5), k);
      engine->set_members(members);
      engine->sum(progress);
    }
    engine->derive(CotangentRule::difference);
    engine->gather(progress);
    const double x = double(t) / double(steps);
    const double r = rate * (last + (1 - last) * 0.5 * (1 + std::cos(std::numbers::pi * x)));
    update.adam.mass_rate = update.adam.mean_rate = update.adam.factor_rate = r;
    update.adam.momentum = b1; update.adam.spread = b2;
    update.adam.momentum_scale = 1 / (1 - std::pow(b1, double(t)));
    update.adam.spread_scale = 1 / (1 - std::pow(b2, double(t)));
    if (t % 50 == 0 || t == 1) {
      const double e = std::sqrt(engine->loss() / squares);
      if (watch && watch(t, e)) break;
    }
    engine->update(update);
    progress.update(static_cast<std::uint64_t>(t));
  }
  members = engine->members();
  MixtureProblem last_problem = problem;
  last_problem.tolerance = 0;
  const auto judge = make_mixture_engine(last_problem, spec.device.value_or(Device::cpu), spec.options);
  judge->set_given(given);
  judge->set_members(members);
  judge->sum(progress);
  judge->derive(CotangentRule::difference);
  MixtureFit fit;
  fit.facts.relative_error = std::sqrt(judge->loss() / squares);
  fit.facts.members = members.size();
  for (const Member& m : members) fit.facts.mass += std::exp(m.log_mass);
  fit.facts.given_mass = mass;
  fit.facts.seconds = clock.seconds();
  fit.mixture = mixture_of(members, problem);
  return fit;
}

}  // namespace skde
