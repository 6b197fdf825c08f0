#include "support/shaped_contract.hpp"

#include <algorithm>
#include <cmath>

#include "engines/registry/registry.hpp"
#include "support/catch.hpp"
#include "support/engine_contract.hpp"
#include "support/volume_comparison.hpp"

namespace skde::test {

std::vector<double> density_of(std::string_view engine, const Problem& problem,
                               const SamplesView& points, int threads) {
  EngineOptions options;
  options.threads = threads;
  NoProgress silent;
  const std::unique_ptr<Engine> maker = make_engine(engine, options);
  const std::unique_ptr<Run> run = maker->begin(problem);
  run->add(*maker->load(points), silent);
  run->finish(silent);
  return numbers_of(run->take_values()->take_volume());
}

void check_shaped_case(std::string_view engine, std::uint64_t seed) {
  INFO("seed " << seed);
  check_shaped_case(engine,
                    random_shaped_case(seed, seed % 2 == 0 ? ShapeForm::widths : ShapeForm::shapes),
                    kKernelFunctions[seed / 4 % kKernelFunctions.size()],
                    seed / 2 % 2 == 0 ? Precision::f32 : Precision::f64);
}

void check_shaped_case(std::string_view engine, const ShapedCase& shaped, KernelFunction function,
                       Precision precision, double tolerance) {
  INFO(engine << ", " << function->name);
  Problem problem = shaped.problem(function, precision);
  problem.kernel.tolerance = tolerance;
  const Offer offer = make_engine(engine, {})->offer(problem, facts_of(shaped.cloud.view()));
  REQUIRE(offer.serves());
  const std::vector<double> values = density_of(engine, problem, shaped.cloud.view());
  const ShapedReference reference = shaped_reference(shaped, problem);
  CHECK(worst_distance(values, reference) <=
        stated_error(engine_entry(engine).traits, precision) * reference.height +
            problem.kernel.cut_error() * reference.summit);
}

void check_mean_case(std::string_view engine, std::uint64_t seed) {
  const ShapeForm forms[] = {ShapeForm::widths, ShapeForm::shapes};
  ShapedCase shaped = random_shaped_case(seed, forms[seed % 2], 0.05, 12);
  const KernelFunction function = kKernelFunctions[seed / 4 % kKernelFunctions.size()];
  if (function == KernelFunction::exponential) return;  // most are refused
  if (seed % 4 < 2) shaped.cloud.shapes.clear(), shaped.cloud.bandwidth_factors.clear();
  INFO("seed " << seed << ", kernel " << function->name);
  Problem problem = shaped.problem(function, Precision::f64);
  problem.min_width = 0;
  problem.cells = CellValue::mean;
  const std::vector<double> exact = density_of("tile", problem, shaped.cloud.view());
  const double peak = *std::ranges::max_element(exact);
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    problem.precision = precision;
    const std::vector<double> values = density_of(engine, problem, shaped.cloud.view());
    double worst = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      worst = std::max(worst, std::abs(values[i] - exact[i]));
    CHECK(worst <= (precision == Precision::f32 ? 1e-4 : 1e-9) * peak);
  }
}

}  // namespace skde::test
