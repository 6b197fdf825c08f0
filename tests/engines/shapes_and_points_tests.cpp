#include "engines/registry/registry.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "support/cases/case_parts.hpp"
#include "support/cases/shaped_cases.hpp"
#include "support/catch.hpp"
#include "support/cells.hpp"
#include "support/engine_contract.hpp"
#include "support/shaped_contract.hpp"
#include "support/silent.hpp"
#include "support/volume_comparison.hpp"

using namespace skde;
using namespace skde::test;

namespace {

std::unique_ptr<ValueBuffer> values_of(std::string_view engine, const Problem& problem,
                                       const SamplesView& points) {
  EngineOptions options;
  options.threads = 3;
  const std::unique_ptr<Engine> maker = make_engine(engine, options);
  REQUIRE(maker->offer(problem, facts_of(points)).serves());
  const std::unique_ptr<Run> run = maker->begin(problem);
  run->add(*maker->load(points), silent);
  run->finish(silent);
  return run->take_values();
}

}  // namespace

TEST_CASE("widths of 1 are no widths, to the last bit", "[shapes]") {
  ShapedCase shaped = random_shaped_case(5, ShapeForm::widths);
  Samples plain = shaped.cloud;
  plain.bandwidth_factors.clear();
  std::ranges::fill(shaped.cloud.bandwidth_factors, 1.0);
  const Problem problem = shaped.problem(KernelFunction::epanechnikov, Precision::f32);
  CHECK(same_bits(values_of("naive", problem, shaped.cloud.view())->take_volume(),
                  values_of("naive", problem, plain.view())->take_volume()));
}

TEST_CASE("values at points keep their promise in random cases", "[points]") {
  for (std::uint64_t seed = 0; seed < tried(300); ++seed) {
    ShapedCase shaped =
        random_shaped_case(seed, seed % 3 == 0 ? ShapeForm::widths : ShapeForm::shapes);
    if (seed % 3 == 2) shaped.cloud.shapes.clear();  // one kernel for all samples
    const KernelFunction function = kKernelFunctions[seed % kKernelFunctions.size()];
    const Precision precision = seed / 2 % 2 == 0 ? Precision::f32 : Precision::f64;
    Problem problem = shaped.problem(function, precision);
    const ShapedReference reference = shaped_reference(shaped, problem);
    std::vector<double> centres;
    for (const auto& [i, j, k] : cells_of(shaped.grid.dims)) {
      const Vec3 centre = shaped.grid.centre(i, j, k);
      centres.insert(centres.end(), {centre.x, centre.y, centre.z});
    }
    problem.target = TargetPoints(std::move(centres));
    for (const char* const engine : {"ranges", "naive"}) {
      INFO(engine << ", seed " << seed << ", " << function->name);
      const auto buffer = values_of(engine, problem, shaped.cloud.view());
      const ValueTotals totals = buffer->totals();
      const std::vector<double> values = buffer->take_point_values();
      CHECK(worst_distance(values, reference) <=
            stated_error(engine_entry(engine).traits, precision) * reference.height +
                problem.kernel.cut_error() * reference.summit);
      CHECK(totals.sum == Approx(std::accumulate(values.begin(), values.end(), 0.0)));
      CHECK(totals.maximum == *std::ranges::max_element(values));
    }
  }
}

// Engines that serve per-sample bandwidth factors and shapes, compared with the definition.

namespace {

constexpr std::array kFloatAndDouble{Precision::f32, Precision::f64};
constexpr std::array kShapeForms{ShapeForm::widths, ShapeForm::shapes};

void check_random_cases(std::string_view engine, std::uint64_t seeds) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) check_shaped_case(engine, seed);
}

/// Checks every other one of 200 cases, so that two cores can share them.
void check_tiles(std::uint64_t first) {
  constexpr std::uint64_t kSeeds = tried(200);
  for (std::uint64_t seed = first; seed < kSeeds; seed += 2) {
    const DensityCase density_case = random_case(seed);
    const Reference reference = make_reference(density_case.cloud.view(), density_case.H,
                                               density_case.grid, density_case.total_weight());
    EngineSetup options;
    options.threads = 2;
    options.precision = kFloatAndDouble[seed / 2 % 2];
    const ContractCount count =
        check_accuracy(engine_entry("tile").traits, options, density_case, reference);
    CHECK(count.refused == 0);
  }
}

}  // namespace

TEST_CASE("kernels of samples' own widths and shapes are those of the definition", "[shapes]") {
  constexpr std::uint64_t kSeeds = tried(40), kSeedsOfTile = tried(200);
  for (const EngineEntry& entry : engine_table()) {
    const ShapedCase shaped = random_shaped_case(0, ShapeForm::shapes);
    if (entry.traits.device != Device::cpu ||
        !make_engine(entry.traits.name, {})
             ->offer(shaped.problem(KernelFunction::epanechnikov, Precision::f32),
                     facts_of(shaped.cloud.view()))
             .serves())
      continue;
    check_random_cases(entry.traits.name, entry.traits.name == "tile" ? kSeedsOfTile : kSeeds);
  }
}

TEST_CASE("Gaussians of mixed widths and slants keep their tolerance in tiles", "[shapes]") {
  for (std::uint64_t seed = 0; seed < tried(200); ++seed) {
    INFO("seed " << seed);
    const ShapedCase shaped = random_shaped_case(seed + 500, kShapeForms[seed % 2], 0.3, 12);
    check_shaped_case("tile", shaped, KernelFunction::gaussian, kFloatAndDouble[seed / 2 % 2],
                      seed / 4 % 2 == 0 ? 1e-4 : 1e-6);
  }
}

TEST_CASE("a needle that passes between centres is off by a share of its own height", "[shapes]") {
  // Half axes of 3.5, 0.14 and 0.12 cells. Few of the places reach a centre near the needle's axis.
  const Grid grid{{0, 0, 0}, {1, 1, 1}, {9, 9, 5}};
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    ShapedCase needle{{}, Symmetric3::diagonal(1, 1, 1), grid};
    Random random(seed);
    add_uniform(needle.cloud, random, {{4, 4, 2}, {5, 5, 3}}, 1);
    needle.cloud.shapes = {7.336, 5.856, 0.345, 4.70, 0.278, 0.0361};
    INFO("place " << seed);
    for (const Precision precision : kFloatAndDouble)
      check_shaped_case("tile", needle, KernelFunction::epanechnikov, precision);
  }
}

TEST_CASE("tiles have the same means over cells in float and double", "[contract]") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) check_mean_case("tile", seed);
}

TEST_CASE("tiles keep their promise in random cases of one shape", "[contract]") { check_tiles(0); }

TEST_CASE("tiles keep their promise in other cases of one shape", "[contract]") { check_tiles(1); }

TEST_CASE("tiles give the same bits for any number of threads, whatever the shapes", "[shapes]") {
  for (std::uint64_t seed = 0; seed < 6; ++seed)
    for (const Precision precision : kFloatAndDouble) {
      const ShapedCase shaped = random_shaped_case(seed, kShapeForms[seed % 2]);
      const Problem problem = shaped.problem(kKernelFunctions[seed % 5], precision);
      const std::vector<double> once = density_of("tile", problem, shaped.cloud.view(), 1);
      for (const int threads : {1, 2, 3, 7}) {
        INFO("seed " << seed << ", " << threads << " threads");
        CHECK(density_of("tile", problem, shaped.cloud.view(), threads) == once);
      }
    }
}

TEST_CASE("a pile of a million kernels of all widths keeps its digits in float", "[shapes]") {
  constexpr std::size_t kSamples = tried(1000000);
  constexpr double kMostError = 5e-7;
  const Grid grid{{0, 0, 0}, {1, 1, 1}, {12, 10, 11}};
  const std::array widths{1.5, 3.0};
  for (const KernelFunction function : {KernelFunction::gaussian, KernelFunction::biweight}) {
    ShapedCase pile{{}, Symmetric3::diagonal(1, 1, 1), grid}, few = pile;
    for (std::size_t i = 0; i < kSamples; ++i) {
      pile.cloud.xyz.insert(pile.cloud.xyz.end(), {5.3, 4.8, 6.1});
      pile.cloud.bandwidth_factors.push_back(widths[i % 2]);
    }
    for (std::size_t k = 0; k < 2; ++k) {
      few.cloud.xyz.insert(few.cloud.xyz.end(), {5.3, 4.8, 6.1});
      few.cloud.bandwidth_factors.push_back(widths[k]);
    }
    const Problem problem = few.problem(function, Precision::f32);
    const ShapedReference reference = shaped_reference(few, problem);
    const std::vector<double> values =
        density_of("tile", pile.problem(function, Precision::f32), pile.cloud.view());
    CHECK(worst_distance(values, reference) <=
          kMostError * reference.peak + problem.kernel.cut_error() * reference.summit);
  }
}
