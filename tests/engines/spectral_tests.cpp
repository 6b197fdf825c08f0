#include "engines/registry/offer_choice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engines/registry/registry.hpp"
#include "engines/spectral_error.hpp"
#include "engines/spectral_plan.hpp"
#include "support/cases/case_parts.hpp"
#include "support/cases/spectral_cases.hpp"
#include "support/cases/wrapped_cases.hpp"
#include "support/catch.hpp"
#include "support/cells.hpp"
#include "support/engine_contract.hpp"
#include "support/references/reference.hpp"
#include "support/volume_comparison.hpp"

using namespace skde;
using namespace skde::test;

TEST_CASE("spectral: no tolerance is exceeded in 300 random cases", "[spectral]") {
  if (skips_spectral()) return;
  check_tolerances("spectral", threads_of(3), tried(300));
}

TEST_CASE("spectral: integers of a million samples are within 100 random tolerances",
          "[spectral]") {
  if (skips_spectral()) return;
  constexpr double kSamples = 1e6;  // all but a few lie far away
  int served[2] = {0, 0};
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SpectralCase of = spectral_case_of(5 * (seed / 2));
    Problem& problem = of.problem;
    const SamplesView points = of.cloud.view();
    double heaviest = 0;
    for (std::size_t i = 0; i < points.size(); ++i) heaviest = std::max(heaviest, points.weight(i));
    problem.precision = Precision::f64;
    problem.tolerance = problem.kernel.tolerance =
        std::pow(10, -6 - 0.08 * static_cast<double>(seed / 2));
    problem.samples = kSamples;
    problem.total_weight = kSamples * heaviest;
    const bool known = seed % 2 == 1;
    if (known) problem.largest_share = 1 / kSamples;
    const Offer offer = make_engine("spectral", {})->offer(problem, facts_of(points));
    if (!offer.serves()) continue;
    ++served[seed % 2];
    INFO(of.name << ", tolerance " << problem.tolerance << ", weights known: " << known);
    const Volume volume = run_in_parts("spectral", threads_of(2), problem, {points});
    const Reference reference =
        make_reference(points, problem.kernel.H, problem.grid(), problem.total_weight);
    const std::vector<double>& expected = reference.of(KernelFunction::gaussian);
    const double peak = std::max(reference.peak(KernelFunction::gaussian),
                                 heaviest / problem.total_weight * problem.kernel.amplitude());
    double largest = 0;
    for (std::size_t cell = 0; cell < expected.size(); ++cell)
      largest = std::max(largest, std::abs(volume.values<double>()[cell] - expected[cell]));
    CHECK(largest / peak <= problem.tolerance);
  }
  CHECK(served[0] > 5);
  CHECK(served[1] > served[0] + 10);
}

TEST_CASE("spectral: every run, order, cut and number of threads gives the same bits",
          "[spectral]") {
  if (skips_spectral()) return;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const SpectralCase spectral_case = spectral_case_of(seed);
    const Problem& problem = spectral_case.problem;
    const SamplesView points = spectral_case.cloud.view();
    if (!make_engine("spectral", {})->offer(problem, facts_of(points)).serves()) continue;
    INFO(spectral_case.name);
    const Volume once = run_in_parts("spectral", threads_of(2), problem, {points});
    for (const int threads : {1, 3, 7})
      CHECK(same_bits(once, run_in_parts("spectral", threads_of(threads), problem, {points})));
    const std::size_t cut = points.size() / 3;
    CHECK(same_bits(once, run_in_parts("spectral", threads_of(2), problem,
                                       {points.slice(cut, points.size() - cut), points.slice(0, 0),
                                        points.slice(0, cut)})));
    const Samples reversed = reversed_of(spectral_case.cloud);
    CHECK(same_bits(once, run_in_parts("spectral", threads_of(2), problem, {reversed.view()})));
  }
}

TEST_CASE("spectral: however far from 0 a cloud lies, it has the same bits", "[spectral]") {
  if (skips_spectral()) return;
  constexpr double kFar = 0x1p38;
  int served = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SpectralCase near = spectral_case_of(seed);
    Grid& grid = std::get<Grid>(near.problem.target);
    const auto rounded = [](double x) { return std::round(x * 0x1p10) * 0x1p-10; };  // exact
    for (int axis = 0; axis < 3; ++axis) {
      grid.lower[axis] = rounded(grid.lower[axis]);
      grid.spacing[axis] = std::max(rounded(grid.spacing[axis]), 0x1p-9);
    }
    for (double& x : near.cloud.xyz) x = rounded(x);
    SpectralCase far = near;
    for (int axis = 0; axis < 3; ++axis) std::get<Grid>(far.problem.target).lower[axis] += kFar;
    for (double& x : far.cloud.xyz) x += kFar;
    if (!make_engine("spectral", {})->offer(near.problem, facts_of(near.cloud.view())).serves())
      continue;
    ++served;
    INFO(near.name);
    const Volume here = run_in_parts("spectral", threads_of(2), near.problem, {near.cloud.view()});
    const Volume there = run_in_parts("spectral", threads_of(2), far.problem, {far.cloud.view()});
    bool same = true;
    for (const auto& [i, j, k] : cells_of(grid.dims))
      same = same && here.at(i, j, k) == there.at(i, j, k);
    CHECK(same);
  }
  CHECK(served > 3);
}

TEST_CASE("spectral: values below 0 are 0 unless they are asked for", "[spectral]") {
  if (skips_spectral()) return;
  int negative = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SpectralCase of = spectral_case_of(seed);
    Problem& problem = of.problem;
    const SamplesView points = of.cloud.view();
    if (!make_engine("spectral", {})->offer(problem, facts_of(points)).serves()) continue;
    INFO(of.name);
    const Volume clamped = run_in_parts("spectral", threads_of(2), problem, {points});
    problem.keep_negatives = true;
    const Volume kept = run_in_parts("spectral", threads_of(2), problem, {points});
    int below = 0, differ = 0;
    for (const auto& [i, j, k] : cells_of(problem.grid().dims)) {
      const double value = kept.at(i, j, k);
      below += value < 0 ? 1 : 0;
      differ += clamped.at(i, j, k) != std::max(value, 0.0) ? 1 : 0;
    }
    CHECK(differ == 0);
    if (below == 0) continue;
    ++negative;
    double least = 0;
    for (const auto& [i, j, k] : cells_of(problem.grid().dims))
      least = std::min(least, kept.at(i, j, k));
    CHECK(-least <= problem.tolerance * problem.kernel.amplitude());
  }
  CHECK(negative >= 5);
}

TEST_CASE("spectral: the stated errors hold for lone samples on nodes and are met by them",
          "[spectral]") {
  if (skips_spectral()) return;
  for (const double deviation : {1.5, 2.0, 3.0})
    for (const int order : kSplineOrders) {
      INFO("order " << order << ", " << deviation << " nodes a deviation");
      // The tolerance for which this plan is the coarsest candidate.
      const double stated = 3 * spectral_error(KernelFunction::gaussian, order, deviation, false);
      CHECK(stated < 3 * spectral_error(KernelFunction::gaussian, order, deviation, true));
      CHECK(stated > 3 * spectral_error(KernelFunction::gaussian, order, deviation + 0.2, false));
    }
  // The error of kernels with an edge falls with the order of that edge; with a jump it does not
  // fall.
  CHECK_FALSE(std::isfinite(spectral_error(KernelFunction::uniform, 8, 50, false)));
  for (const KernelFunction function :
       {KernelFunction::epanechnikov, KernelFunction::biweight, KernelFunction::triweight})
    CHECK(spectral_error(function, 6, 24, false) ==
          Approx(spectral_error(function, 6, 12, false) / std::pow(2, *function->degree)));
}

TEST_CASE("spectral: the working grid follows the kernel, not the cells", "[spectral]") {
  constexpr SpectralCosts kFewNodes{.nodes_a_tap = 1};
  Problem problem;
  problem.target = Grid{{0, 0, 0}, {1, 1, 1}, {300, 200, 100}};
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
  for (const double deviation : {2.5, 5.0, 10.0, 20.0}) {
    const double h = deviation * deviation;
    problem.kernel = {KernelFunction::gaussian, Symmetric3::diagonal(h, h, h)};
    const auto plan = choose_spectral_plan(problem, kFewNodes).plan;
    REQUIRE(plan);
    INFO(plan->describe());
    CHECK(plan->error <= kDefaultTolerance);
    CHECK(plan->nodes() < before);
    before = plan->nodes();
    for (std::size_t a = 0; a < 3; ++a) {
      const SpectralAxis& axis = plan->axes[a];
      // Padded by the reach of the kernels on both sides, to lengths with fast transforms.
      const double cells = static_cast<double>(problem.grid().dims[a]);
      CHECK(axis.nodes * axis.spacing >= cells - 1 + 2 * 5.5 * deviation);
      std::int32_t rest = axis.nodes;
      for (const int factor : {2, 3, 5, 7})
        while (rest % factor == 0) rest /= factor;
      CHECK(rest == 1);
      CHECK(axis.begin >= 0);
      CHECK(axis.end <= axis.nodes);
    }
  }
}

TEST_CASE("spectral: what it cannot hold is refused with a reason and the parameter that mends it",
          "[spectral]") {
  if (skips_spectral()) return;
  Problem problem;
  problem.target = Grid{{0, 0, 0}, {1, 1, 1}, {32, 32, 32}};
  problem.kernel = {KernelFunction::triweight, Symmetric3::diagonal(400, 400, 400)};
  const auto refusal = [&] {
    return make_engine("spectral", {})->offer(problem, {100, false, false}).refusal;
  };
  CHECK(refusal().find("`tolerance=1e-5`") != std::string::npos);
  problem.tolerance = 1e-3;
  CHECK(refusal().empty());
  problem.kernel.function = KernelFunction::uniform;
  CHECK(refusal().find("too rough") != std::string::npos);
  problem.kernel = {KernelFunction::gaussian, Symmetric3::diagonal(0.04, 1, 1)};
  CHECK_FALSE(refusal().empty());
  problem.kernel.H = Symmetric3::diagonal(1, 1, 1);
  problem.tolerance = 1e-8;
  CHECK(refusal().find("`tolerance`") != std::string::npos);
}

TEST_CASE("spectral: it is taken for many Gaussians where they are wide", "[spectral]") {
  if (skips_spectral()) return;
  Problem problem;
  problem.target = Grid{{0, 0, 0}, {1, 1, 1}, {128, 128, 128}};
  EngineWish cpu;
  cpu.device = Device::cpu;
  const auto taken = [&](KernelFunction function, double width, double tolerance) {
    problem.kernel = {function, Symmetric3::diagonal(width, width, width), tolerance};
    problem.tolerance = tolerance;
    const auto offers = engine_offers(problem, {1000000, false, false}, {});
    return ranked_offers(offers, tolerance, cpu).front()->entry->traits.name;
  };
  CHECK(taken(KernelFunction::gaussian, 25, 0) == "spectral");
  CHECK(taken(KernelFunction::gaussian, 25, 1e-4) == "spectral");
  CHECK(taken(KernelFunction::gaussian, 0.01, 0) != "spectral");
  CHECK(taken(KernelFunction::epanechnikov, 25, 0) == "span");
}

TEST_CASE("spectral: few samples take high orders and few nodes, many the other way round",
          "[spectral]") {
  if (skips_spectral()) return;
  Problem problem;
  problem.target = Grid{{0, 0, 0}, {1, 1, 1}, {128, 128, 128}};
  problem.kernel = {KernelFunction::gaussian, Symmetric3::diagonal(9, 9, 9)};
  const auto policy = [&](double samples) {
    problem.samples = samples;
    return make_engine("spectral", {})->begin(problem)->launch_policy();
  };
  const auto order_in = [](const std::string& text) {
    return std::stoi(text.substr(text.find("order ") + 6));
  };
  const std::string few = policy(1e4), many = policy(1e7);
  INFO(few << "; " << many);
  CHECK(order_in(few) > 8);
  CHECK(order_in(many) <= 6);
}

// Axes along which the working grid is one period.

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
    for (const auto& [i, j, k] : cells_of({grid.dims[0], grid.dims[1], 4}))
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
