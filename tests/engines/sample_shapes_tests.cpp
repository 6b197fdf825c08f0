// Engines that serve samples with widths and shapes of their own, against the definition.

#include <array>
#include <catch2/catch.hpp>

#include "engines/registry.hpp"
#include "support/engine_contract.hpp"
#include "support/shaped_cases.hpp"

using namespace skde;
using namespace skde::test;

namespace {

constexpr std::array kPrecisions{Precision::f32, Precision::f64};
constexpr std::array kForms{ShapeForm::widths, ShapeForm::shapes};

NoProgress silent;

std::vector<double> density_of(std::string_view engine, const Problem& problem,
                               const SamplesView& points, int threads = 3) {
  EngineOptions options;
  options.threads = threads;
  const std::unique_ptr<Engine> maker = make_engine(engine, options);
  const std::unique_ptr<Run> run = maker->begin(problem);
  run->add(*maker->load(points), silent);
  run->finish(silent);
  const Volume volume = run->take_values()->take_volume();
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(volume.grid().cells()));
  for (std::int64_t z = 0; z < volume.grid().dims[2]; ++z)
    for (std::int64_t y = 0; y < volume.grid().dims[1]; ++y)
      for (std::int64_t x = 0; x < volume.grid().dims[0]; ++x) values.push_back(volume.at(x, y, z));
  return values;
}

/// The engine's bound holds in cases whose seeds are below the number; what kernels lose beyond
/// their cut is a share of their own heights.
void check_random_cases(std::string_view engine, std::uint64_t seeds) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const ShapedCase shaped = random_shaped_case(seed, kForms[seed % 2]);
    const KernelFunction function = kKernelFunctions[seed % kKernelFunctions.size()];
    const Precision precision = kPrecisions[seed / 2 % 2];
    INFO(engine << ", seed " << seed << ", " << function->name);
    const Problem problem = shaped.problem(function, precision);
    const Offer offer = make_engine(engine, {})->offer(problem, facts_of(shaped.cloud.view()));
    REQUIRE(offer.serves());
    const std::vector<double> values = density_of(engine, problem, shaped.cloud.view());
    const ShapedReference reference = shaped_reference(shaped, problem);
    CHECK(worst_distance(values, reference) <=
          stated_error(engine_entry(engine).traits, precision) * reference.peak +
              problem.kernel.lost_mass() * reference.summit);
  }
}

}  // namespace

TEST_CASE("kernels of samples' own widths and shapes are those of the definition", "[shapes]") {
  constexpr std::uint64_t kSeeds = 40;
  for (const EngineEntry& entry : engine_table()) {
    const ShapedCase shaped = random_shaped_case(0, ShapeForm::shapes);
    if (entry.traits.device != Device::cpu ||
        !make_engine(entry.traits.name, {})
             ->offer(shaped.problem(KernelFunction::epanechnikov, Precision::f32),
                     facts_of(shaped.cloud.view()))
             .serves())
      continue;
    check_random_cases(entry.traits.name, kSeeds);
  }
}
