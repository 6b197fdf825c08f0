// Densities at points on GPUs.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "gpu/device_fixture.hpp"
#include "support/cases/density_cases.hpp"
#include "support/catch.hpp"
#include "support/references/direct_kernel.hpp"
#include "support/references/reference.hpp"
#include "support/silent.hpp"

using namespace skde;
using namespace skde::test;

namespace {

std::vector<double> values_at(const Problem& problem, std::initializer_list<SamplesView> parts) {
  const std::unique_ptr<Engine> engine = make_engine("cuda-ranges", {});
  REQUIRE(engine->offer(problem, facts_of(*parts.begin())).serves());
  const std::unique_ptr<Run> run = engine->begin(problem);
  for (const SamplesView& part : parts) run->add(*engine->load(part), silent);
  run->finish(silent);
  return run->take_values()->take_point_values();
}

/// The cell centres of a grid in random order: targets[k] is cell order[k].
struct ShuffledCells {
  std::vector<std::size_t> order;
  TargetPoints targets;

  ShuffledCells(const Grid& grid, std::uint64_t seed)
      : order(static_cast<std::size_t>(grid.cells())) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
    std::vector<double> xyz;
    xyz.reserve(3 * order.size());
    for (const std::size_t cell : order) {
      const auto at = static_cast<std::int64_t>(cell);
      const Vec3 centre = grid.centre(at % grid.dims[0], at / grid.dims[0] % grid.dims[1],
                                      at / grid.dims[0] / grid.dims[1]);
      xyz.insert(xyz.end(), {centre.x, centre.y, centre.z});
    }
    targets = TargetPoints(std::move(xyz));
  }
};

Problem problem_at(const DensityCase& density_case, const TargetPoints& targets,
                   KernelFunction function, Precision precision) {
  Problem problem;
  problem.kernel = {function, density_case.H};
  problem.target = targets;
  problem.total_weight = density_case.total_weight();
  problem.precision = precision;
  return problem;
}

/// The density at a place by its definition.
double direct_density(const DensityCase& density_case, KernelFunction function, Vec3 at) {
  const DirectKernel kernel(function, density_case.H);
  const SamplesView cloud = density_case.cloud.view();
  double sum = 0;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const Vec3 apart = at - cloud.point(i);
    sum += cloud.weight(i) * kernel.at({apart.x, apart.y, apart.z});
  }
  return sum / density_case.total_weight();
}

}  // namespace

TEST_CASE("CUDA: densities at points are the reference's in 200 random cases", "[points]") {
  if (skipped()) return;
  const EngineTraits& traits = engine_entry("cuda-ranges").traits;
  constexpr std::uint64_t kSeeds = 200;
  constexpr std::size_t kChecked = 500;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const DensityCase density_case = random_case(seed);
    const SamplesView cloud = density_case.cloud.view();
    const ShuffledCells cells(density_case.grid, seed);
    const Precision precision = seed % 2 == 0 ? Precision::f32 : Precision::f64;
    for (const KernelFunction function :
         {KernelFunction::epanechnikov, KernelFunction::triweight, KernelFunction::gaussian}) {
      const Problem problem = problem_at(density_case, cells.targets, function, precision);
      const std::vector<double> values = values_at(problem, {cloud});
      REQUIRE(values.size() == cells.order.size());
      double worst = 0, peak = 0.1 * peak_of_one_kernel(function, density_case.H,
                                                        density_case.largest_weight(),
                                                        density_case.total_weight());
      for (std::size_t k = 0; k < std::min(values.size(), kChecked); ++k) {
        const double expected = direct_density(density_case, function, cells.targets.point(k));
        worst = std::max(worst, std::abs(values[k] - expected));
        peak = std::max(peak, expected);
      }
      INFO("seed " << seed << ", " << function->name << ", " << worst / peak << " of the peak");
      // For a single sample, what lies beyond the cut is a larger share of the density than for
      // many.
      const double allowed =
          offered_error(traits, problem, facts_of(cloud)) + problem.kernel.cut_error();
      CHECK(worst <= allowed * peak);
    }
  }
}

TEST_CASE("CUDA: densities at points repeat, and add up over parts", "[points]") {
  if (skipped()) return;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const DensityCase density_case = random_case(seed);
    const SamplesView cloud = density_case.cloud.view();
    const ShuffledCells cells(density_case.grid, seed);
    const Problem problem =
        problem_at(density_case, cells.targets, KernelFunction::biweight, Precision::f64);
    const std::vector<double> once = values_at(problem, {cloud});
    CHECK(values_at(problem, {cloud}) == once);
    const std::size_t cut = cloud.size() / 3;
    const std::vector<double> parts =
        values_at(problem, {cloud.slice(0, cut), cloud.slice(cut, cloud.size() - cut)});
    const double peak = *std::ranges::max_element(once);
    for (std::size_t k = 0; k < once.size(); ++k)
      CHECK(std::abs(parts[k] - once[k]) <= 1e-12 * peak);
  }
}

TEST_CASE("CUDA: one point among many samples, and no points", "[points]") {
  if (skipped()) return;
  Problem problem;
  problem.kernel = {KernelFunction::epanechnikov, Symmetric3::diagonal(1, 1, 1)};
  problem.target = TargetPoints({0.25, 0, 0});
  problem.total_weight = 100000;
  Samples cloud;
  for (int i = 0; i < 100000; ++i) cloud.xyz.insert(cloud.xyz.end(), {i % 2 ? 0.0 : 5.0, 0, 0});
  const std::vector<double> value = values_at(problem, {cloud.view()});
  REQUIRE(value.size() == 1);
  CHECK(value[0] == Approx(0.5 * problem.kernel.amplitude() * (1 - 0.0625)).epsilon(2e-6));
  problem.target = TargetPoints(std::vector<double>{});
  CHECK(values_at(problem, {cloud.view()}).empty());
}
