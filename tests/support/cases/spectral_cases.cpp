#include "support/cases/spectral_cases.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "engines/registry/registry.hpp"
#include "support/cases/case_parts.hpp"
#include "support/catch.hpp"
#include "support/engine_contract.hpp"
#include "support/references/reference.hpp"
#include "support/skipped_test.hpp"
#include "support/volume_comparison.hpp"

namespace skde::test {
namespace {

Grid draw_grid(Random& random) {
  constexpr std::int64_t kMostCells = 6000;
  Grid grid;
  for (int axis = 0; axis < 3; ++axis) {
    grid.spacing[axis] = random.log_uniform(0.3, 4);
    grid.lower[axis] = random.uniform(-20, 20);
    grid.dims[static_cast<std::size_t>(axis)] =
        random.chance(0.05) ? 1 : static_cast<std::int64_t>(random.log_uniform(5, 60));
  }
  while (grid.cells() > kMostCells) *std::max_element(grid.dims.begin(), grid.dims.end()) -= 1;
  return grid;
}

/// Draws H in squared world units; its half axes or deviations are drawn in cells.
Symmetric3 draw_kernel(Random& random, const Grid& grid, double thinnest) {
  const double longest = random.log_uniform(1.2 * thinnest, 20 * thinnest);
  const double least = std::max(thinnest, longest / 5);
  const Symmetric3 h = random_rotation(
      random, {longest, random.log_uniform(least, longest), random.log_uniform(least, longest)});
  const Vec3 s = grid.spacing;
  return {h.xx * s.x * s.x, h.xy * s.x * s.y, h.xz * s.x * s.z,
          h.yy * s.y * s.y, h.yz * s.y * s.z, h.zz * s.z * s.z};
}

void draw_cloud(Random& random, const Grid& grid, Samples& cloud) {
  const auto count = static_cast<std::size_t>(random.log_uniform(1, 100));
  const Box box = grid.bounds();
  add_uniform(cloud, random, box, count);
  if (random.chance(0.5)) add_normal(cloud, random, box.centre(), grid.spacing.x, count);
  if (random.chance(0.5)) add_shell(cloud, random, box, 6 * grid.spacing.y, count);
  if (random.chance(0.2))  // on cell centres, where the aliases of samples coincide
    for (std::size_t i = 0; i < cloud.xyz.size(); ++i) {
      const int axis = static_cast<int>(i % 3);
      const double first = grid.first_centre()[axis], step = grid.spacing[axis];
      cloud.xyz[i] = first + step * std::rint((cloud.xyz[i] - first) / step);
    }
  if (random.chance(0.5))
    for (std::size_t i = 0; i < cloud.size(); ++i)
      cloud.weights.push_back(i > 0 && random.chance(0.1) ? 0 : random.log_uniform(0.01, 100));
}

double total_weight(const SamplesView& points) {
  double total = 0;
  for (std::size_t i = 0; i < points.size(); ++i) total += points.weight(i);
  return total;
}

}  // namespace

bool skips_spectral() { return skipped(engine_entry("spectral").unavailable()); }

EngineOptions threads_of(int threads) {
  EngineOptions options;
  options.threads = threads;
  return options;
}

SpectralCase spectral_case_of(std::uint64_t seed) {
  constexpr std::array kRough{KernelFunction::triweight, KernelFunction::biweight,
                              KernelFunction::epanechnikov};
  Random random(seed + 31000);
  SpectralCase result;
  Problem& problem = result.problem;
  const bool rough = seed % 5 == 4;
  const KernelFunction function =
      rough ? kRough[seed / 5 % kRough.size()] : KernelFunction::gaussian;
  const Grid grid = draw_grid(random);
  problem.target = grid;
  problem.precision = seed % 3 == 2 ? Precision::f64 : Precision::f32;
  problem.tolerance = rough ? random.log_uniform(1e-3, 6e-2)
                            : random.log_uniform(random.chance(0.2) ? 1e-9 : 9e-7, 1e-3);
  problem.kernel = {function, draw_kernel(random, grid, rough ? 4 : 0.8), problem.tolerance};
  draw_cloud(random, grid, result.cloud);
  problem.total_weight = total_weight(result.cloud.view());
  result.name = "spectral case " + std::to_string(seed) + ", " + std::string(function->name);
  return result;
}

Volume run_in_parts(std::string_view engine, const EngineOptions& options, const Problem& problem,
                    std::initializer_list<SamplesView> parts) {
  NoProgress silent;
  const std::unique_ptr<Engine> maker = make_engine(engine, options);
  const std::unique_ptr<Run> run = maker->begin(problem);
  for (const SamplesView& part : parts) run->add(*maker->load(part), silent);
  run->finish(silent);
  return run->take_values()->take_volume();
}

Samples reversed_of(const Samples& samples) {
  Samples result;
  for (std::size_t i = samples.size(); i-- > 0;) {
    const auto* const at = &samples.xyz[3 * i];
    result.xyz.insert(result.xyz.end(), at, at + 3);
    if (!samples.weights.empty()) result.weights.push_back(samples.weights[i]);
  }
  return result;
}

void check_tolerances(std::string_view engine, const EngineOptions& options, int cases) {
  int served = 0;
  for (int seed = 0; seed < cases; ++seed) {
    const SpectralCase spectral_case = spectral_case_of(static_cast<std::uint64_t>(seed));
    const Problem& problem = spectral_case.problem;
    const SamplesView points = spectral_case.cloud.view();
    const Offer offer = make_engine(engine, options)->offer(problem, facts_of(points));
    if (!offer.serves()) continue;
    ++served;
    INFO(spectral_case.name << ", tolerance " << problem.tolerance);
    CHECK(offer.error <= problem.tolerance);
    const Volume volume = run_in_parts(engine, options, problem, {points});
    const Reference reference =
        make_reference(points, problem.kernel.H, problem.grid(), problem.total_weight);
    CHECK(relative_distance(volume, reference.of(problem.kernel.function)) <= problem.tolerance);
    CHECK(std::ranges::min(numbers_of(volume)) >= 0);
  }
  CHECK(served >= cases / 2);
}

}  // namespace skde::test
