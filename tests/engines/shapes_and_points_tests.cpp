#include <algorithm>
#include <cmath>
#include <numbers>

#include "engines/registry/registry.hpp"
#include "support/cases/case_parts.hpp"
#include "support/cases/shaped_cases.hpp"
#include "support/catch.hpp"
#include "support/engine_contract.hpp"
#include "support/silent.hpp"
#include "support/volume_comparison.hpp"

using namespace skde;
using namespace skde::test;

namespace {

using Real = long double;

/// A cloud of 200 samples with weights and bandwidth factors, rotated kernels and an odd grid.
struct WidthsCase {
  Samples cloud;
  Symmetric3 H = random_rotated(11, {3.1, 1.7, 2.2});
  Grid grid{{-4, 1, 2}, {0.9, 1.1, 0.7}, {13, 17, 21}};

  explicit WidthsCase(std::uint64_t seed) {
    Random random(seed);
    Box around = grid.bounds();
    around.lower = around.lower - Vec3{2, 2, 2};
    add_uniform(cloud, random, around, 200);
    for (std::size_t i = 0; i < cloud.size(); ++i) {
      cloud.weights.push_back(random.log_uniform(0.1, 10));
      cloud.bandwidth_factors.push_back(random.log_uniform(0.5, 3));
    }
  }
  double total_weight() const {
    double sum = 0;
    for (const double weight : cloud.weights) sum += weight;
    return sum;
  }
  Problem problem(Target target, Precision precision) const {
    Problem problem;
    problem.kernel = {KernelFunction::epanechnikov, H};
    problem.target = std::move(target);
    problem.total_weight = total_weight();
    problem.precision = precision;
    return problem;
  }
  /// The Epanechnikov density at a place, by its definition with H_i = width_i^2 H.
  double density_at(Vec3 place) const {
    const Real a = H.xx, b = H.xy, c = H.xz, d = H.yy, e = H.yz, f = H.zz;
    const Real det = a * (d * f - e * e) - b * (b * f - c * e) + c * (b * e - c * d);
    Real sum = 0;
    for (std::size_t i = 0; i < cloud.size(); ++i) {
      const Real w = cloud.bandwidth_factors[i];
      const Real x = (Real(place.x) - cloud.xyz[3 * i]) / w,
                 y = (Real(place.y) - cloud.xyz[3 * i + 1]) / w,
                 z = (Real(place.z) - cloud.xyz[3 * i + 2]) / w;
      const Real q = (x * ((d * f - e * e) * x + (c * e - b * f) * y + (b * e - c * d) * z) +
                      y * ((c * e - b * f) * x + (a * f - c * c) * y + (b * c - a * e) * z) +
                      z * ((b * e - c * d) * x + (b * c - a * e) * y + (a * d - b * b) * z)) /
                     det;
      if (q < 1) sum += cloud.weights[i] / (w * w * w) * (1 - q);
    }
    return static_cast<double>(15 / (8 * std::numbers::pi_v<Real>)*sum /
                               (std::sqrt(det) * Real(total_weight())));
  }
};

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

TEST_CASE("samples with widths of their own have kernels of H_i = width^2 H", "[shapes]") {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const WidthsCase shaped(seed);
    for (const Precision precision : {Precision::f32, Precision::f64})
      for (const char* engine : {"naive", "openmp"}) {
        INFO(engine << ", seed " << seed);
        const Volume volume =
            values_of(engine, shaped.problem(shaped.grid, precision), shaped.cloud.view())
                ->take_volume();
        double worst = 0;
        for (std::int64_t k = 0; k < shaped.grid.dims[2]; ++k)
          for (std::int64_t j = 0; j < shaped.grid.dims[1]; ++j)
            for (std::int64_t i = 0; i < shaped.grid.dims[0]; ++i)
              worst = std::max(worst, std::abs(volume.at(i, j, k) -
                                               shaped.density_at(shaped.grid.centre(i, j, k))));
        CHECK(volume.maximum() > 0);
        CHECK(worst <= stated_error(engine_entry(engine).traits, precision) * volume.maximum());
      }
  }
}

TEST_CASE("widths of 1 are no widths, to the last bit", "[shapes]") {
  WidthsCase shaped(5);
  Samples plain = shaped.cloud;
  plain.bandwidth_factors.clear();
  std::ranges::fill(shaped.cloud.bandwidth_factors, 1.0);
  const Problem problem = shaped.problem(shaped.grid, Precision::f32);
  CHECK(same_bits(values_of("naive", problem, shaped.cloud.view())->take_volume(),
                  values_of("naive", problem, plain.view())->take_volume()));
}

TEST_CASE("targets may be points", "[points]") {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const WidthsCase shaped(seed);
    Random random(seed + 50);
    Samples at;
    add_uniform(at, random, shaped.grid.bounds(), 777);
    const TargetPoints targets(at.xyz);
    for (const auto& [engine, precision] :
         {std::pair{"naive", Precision::f32}, std::pair{"naive", Precision::f64},
          std::pair{"ranges", Precision::f32}, std::pair{"ranges", Precision::f64}}) {
      INFO(engine);
      const auto buffer =
          values_of(engine, shaped.problem(targets, precision), shaped.cloud.view());
      const ValueTotals totals = buffer->totals();
      const std::vector<double> values = buffer->take_point_values();
      REQUIRE(values.size() == 777);
      double worst = 0, sum = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        worst = std::max(worst, std::abs(values[i] - shaped.density_at(targets.point(i))));
        sum += values[i];
      }
      CHECK(sum > 0);
      CHECK(totals.sum == Approx(sum));
      CHECK(worst <= stated_error(engine_entry(engine).traits, precision) * totals.maximum);
    }
  }
}

TEST_CASE("ranges keep their promise at points in 300 random cases", "[points]") {
  const EngineTraits& traits = engine_entry("ranges").traits;
  for (std::uint64_t seed = 0; seed < tried(300); ++seed) {
    ShapedCase shaped =
        random_shaped_case(seed, seed % 3 == 0 ? ShapeForm::widths : ShapeForm::shapes);
    if (seed % 3 == 2) shaped.cloud.shapes.clear();  // one kernel for all samples
    const KernelFunction function = kKernelFunctions[seed % kKernelFunctions.size()];
    const Precision precision = seed / 2 % 2 == 0 ? Precision::f32 : Precision::f64;
    Problem problem = shaped.problem(function, precision);
    const ShapedReference reference = shaped_reference(shaped, problem);
    std::vector<double> centres;
    const auto [nx, ny, nz] = shaped.grid.dims;
    for (std::int64_t k = 0; k < nz; ++k)
      for (std::int64_t j = 0; j < ny; ++j)
        for (std::int64_t i = 0; i < nx; ++i) {
          const Vec3 centre = shaped.grid.centre(i, j, k);
          centres.insert(centres.end(), {centre.x, centre.y, centre.z});
        }
    problem.target = TargetPoints(std::move(centres));
    INFO("seed " << seed << ", " << function->name);
    const std::vector<double> values =
        values_of("ranges", problem, shaped.cloud.view())->take_point_values();
    CHECK(worst_distance(values, reference) <= stated_error(traits, precision) * reference.height +
                                                   problem.kernel.cut_error() * reference.summit);
  }
}
