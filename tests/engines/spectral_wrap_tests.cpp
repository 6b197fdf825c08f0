// Axes along which the working grid is one period.

#include <algorithm>
#include <cmath>

#include "engines/registry/registry.hpp"
#include "engines/spectral_plan.hpp"
#include "support/cases/case_parts.hpp"
#include "support/cases/spectral_cases.hpp"
#include "support/cases/wrapped_cases.hpp"
#include "support/catch.hpp"
#include "support/engine_contract.hpp"
#include "support/volume_comparison.hpp"

using namespace skde;
using namespace skde::test;

namespace {

/// Checks every other one of 200 cases, so that two cores can share them.
void check_wrapped_tolerances(std::uint64_t first) {
  int served = 0, wider = 0;
  for (std::uint64_t seed = first; seed < tried(200); seed += 2) {
    const WrappedCase wrapped = wrapped_case_of(seed);
    const Problem& problem = wrapped.of.problem;
    const SamplesView points = wrapped.of.cloud.view();
    const Offer offer = make_engine("spectral", threads_of(3))->offer(problem, facts_of(points));
    constexpr double kMostWork = 1.5e7;
    if (!offer.serves() || boundary_density_work(wrapped.reference) > kMostWork) continue;
    ++served;
    const SpectralPlan plan =
        *choose_spectral_plan(
             problem,
             {.nodes_a_sample_tap = 0.025, .above_8 = 1.7, .most_order = 12, .wraps = true})
             .plan;
    INFO(wrapped.of.name << ", tolerance " << problem.tolerance << ", " << plan.describe());
    CHECK(offer.wraps);
    CHECK(offer.error <= problem.tolerance);
    for (int axis = 0; axis < 3; ++axis) {
      const SpectralAxis& a = plan.axes[static_cast<std::size_t>(axis)];
      const double period = problem.periods[axis];
      CHECK(a.wraps == (period > 0));
      if (period > 0) CHECK(a.nodes * a.spacing == Approx(period).epsilon(1e-14));
      if (period > 0 && std::sqrt(problem.kernel.H(axis, axis)) > period) ++wider;
    }
    CHECK(wrapped_error("spectral", threads_of(3), wrapped) <= problem.tolerance);
  }
  CHECK(served >= static_cast<int>(tried(50)));
  CHECK(wider >= static_cast<int>(tried(3)));  // kernels with a deviation of over a period
}

}  // namespace

TEST_CASE("spectral: no tolerance is exceeded in random cases that wrap", "[spectral][wrap]") {
  if (!skips_spectral()) check_wrapped_tolerances(0);
}

TEST_CASE("spectral: no tolerance is exceeded in other cases that wrap", "[spectral][wrap]") {
  if (!skips_spectral()) check_wrapped_tolerances(1);
}

TEST_CASE("spectral: what wraps gives the same bits on any threads, in any order and parts",
          "[spectral][wrap]") {
  if (skips_spectral()) return;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const WrappedCase wrapped = wrapped_case_of(seed);
    const Problem& problem = wrapped.of.problem;
    const SamplesView points = wrapped.of.cloud.view();
    if (!make_engine("spectral", {})->offer(problem, facts_of(points)).serves()) continue;
    INFO(wrapped.of.name);
    const Volume once = run_in_parts("spectral", threads_of(1), problem, {points});
    for (const int threads : {2, 5})
      CHECK(same_bits(once, run_in_parts("spectral", threads_of(threads), problem, {points})));
    const Samples reversed = reversed_of(wrapped.of.cloud);
    const std::size_t cut = points.size() / 3;
    const SamplesView back = reversed.view();
    CHECK(same_bits(once, run_in_parts("spectral", threads_of(2), problem,
                                       {back.slice(0, cut), back.slice(cut, back.size() - cut)})));
  }
}

TEST_CASE("spectral: a slab of a box that repeats is that part of the whole", "[spectral][wrap]") {
  if (skips_spectral()) return;
  Problem problem;
  const Grid grid{{2, -3, 10}, {0.5, 0.4, 0.25}, {27, 31, 37}};
  problem.target = grid;
  problem.tolerance = 1e-5;
  problem.kernel = {KernelFunction::gaussian, {2, 0.8, -0.3, 1.5, 0.4, 1}, 1e-5};
  problem.periods = {27 * 0.5, 0, 37 * 0.25};
  Samples cloud;
  Random random(3);
  add_uniform(cloud, random, grid.bounds(), 300);
  problem.total_weight = 300;
  const Volume whole = run_in_parts("spectral", threads_of(2), problem, {cloud.view()});
  for (const std::int64_t first : {0, 9, 33}) {
    problem.target = slab_of(grid, first, 4);
    const Volume slab = run_in_parts("spectral", threads_of(2), problem, {cloud.view()});
    double worst = 0;
    for (std::int64_t k = 0; k < 4; ++k)
      for (std::int64_t j = 0; j < grid.dims[1]; ++j)
        for (std::int64_t i = 0; i < grid.dims[0]; ++i)
          worst = std::max(worst, std::abs(slab.at(i, j, k) - whole.at(i, j, first + k)));
    CHECK(worst <= 2e-5 * whole.maximum());
  }
}

TEST_CASE("spectral: a lattice over a period is flat, wherever its samples are counted",
          "[spectral][wrap]") {
  if (skips_spectral()) return;
  Problem problem;
  problem.target = Grid{{0, 0, 0}, {1, 1, 1}, {11, 13, 9}};
  problem.kernel = {KernelFunction::gaussian, {9, 4, -2, 9, 3, 9}};
  problem.precision = Precision::f64;
  problem.periods = {11, 13, 9};
  Samples cloud;
  for (int i = 0; i < 11; ++i)
    for (int j = 0; j < 13; ++j)
      for (int k = 0; k < 9; ++k)
        cloud.xyz.insert(cloud.xyz.end(), {i + 11.0 * (k % 5), j - 26.0, k + 9.0 * (i % 3)});
  problem.total_weight = 11 * 13 * 9;
  const Volume volume = run_in_parts("spectral", threads_of(2), problem, {cloud.view()});
  const auto [least, most] = std::ranges::minmax(volume.values<double>());
  CHECK(least == Approx(1 / problem.total_weight).epsilon(1e-6));
  CHECK(most == Approx(1 / problem.total_weight).epsilon(1e-6));
}
