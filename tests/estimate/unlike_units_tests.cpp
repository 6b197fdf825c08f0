// The density does not depend on the units of the coordinates, even if they differ between axes.

#include <fmt/core.h>

#include <cmath>
#include <fstream>

#include "engines/registry/registry.hpp"
#include "estimate/session.hpp"
#include "estimate/values/density_facts.hpp"
#include "estimate/values/memory_plan.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/catch.hpp"
#include "support/opened_sessions.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"
#include "support/volume_comparison.hpp"

using namespace skde;
using namespace skde::test;

namespace {

Samples scaled(Samples cloud, Vec3 factors) {
  for (std::size_t i = 0; i < cloud.xyz.size(); ++i)
    cloud.xyz[i] *= factors[static_cast<int>(i % 3)];
  return cloud;
}

DensityRequest request_of(std::string_view engine) {
  DensityRequest request{.grid = {.dims = {{12, 11, 10}}}, .engine = std::string(engine)};
  if (engine_entry(engine).traits.approximates) {  // refuses compact or thin kernels
    request.kernel = KernelFunction::gaussian;
    request.grid.dims = {48, 44, 40};
  }
  return request;
}

const Warning* warning_in(const DensityFacts& facts, std::string_view kind) {
  for (const Warning& warning : facts.warnings)
    if (warning.kind == kind) return &warning;
  return nullptr;
}

}  // namespace

TEST_CASE("a density of any scale is the same one, finite and said", "[units]") {
  const Samples cloud = gaussian_cloud(300);
  for (const EngineEntry& entry : engine_table()) {
    if (entry.traits.device != Device::cpu || !entry.traits.serves_grids ||
        !entry.unavailable().empty())
      continue;
    const std::vector<double> expected =
        numbers_of(session_with(cloud).compute(request_of(entry.traits.name)).take_volume());
    for (const int power : {-30, -20, -14, -12, -5, 5, 11, 12, 13, 14, 20, 30}) {
      INFO(entry.traits.name << ", coordinates times 1e" << power);
      if (entry.traits.approximates && power == -12) continue;  // its kernels are narrower
      const double scale = std::pow(10.0, power);
      Density density =
          session_with(scaled(cloud, {scale, scale, scale})).compute(request_of(entry.traits.name));
      CHECK((density.facts().precision == Precision::f64) == (power > 11 || power < -12));
      CHECK((warning_in(density.facts(), "precision") != nullptr) == (power > 11 || power < -12));
      CHECK(relative_distance(density.take_volume(), expected, std::pow(scale, -3)) < 2e-5);
    }
  }
}

TEST_CASE("axes in unlike units have cells of their own", "[units]") {
  const Density density = session_with(scaled(gaussian_cloud(1000), {1, 0.01, 1e4})).compute({});
  const Vec3 half = density.facts().kernel.half_extents(), cell = density.grid().spacing;
  for (int axis = 0; axis < 3; ++axis) {
    CHECK(half[axis] / cell[axis] > 3);
    CHECK(half[axis] / cell[axis] == Approx(half.x / cell.x));
  }
  CHECK(density.facts().mass_in_box == 1);
  CHECK(density.facts().sum_in_box == Approx(1).epsilon(1e-3));
  CHECK(density.facts().warnings.empty());
}

TEST_CASE("cells too coarse for the kernels are warned of", "[units]") {
  DensityRequest request{.bandwidth = {.bandwidth = Vec3{0.1, 0.1, 0.1}},
                         .grid = {.dims = {{6, 6, 6}}}};
  const Density density = session_with(gaussian_cloud(50)).compute(request);
  const Warning* const warning = warning_in(density.facts(), "coarse_grid");
  REQUIRE(warning != nullptr);
  CHECK(std::abs(density.facts().sum_in_box - 1) > 0.01);
  CHECK(density.facts().mass_in_box == 1);
  CHECK(warning->advice.parameter == "dims");
  REQUIRE(density.metadata.warnings.size() == density.facts().warnings.size());
  CHECK(density.metadata.warnings[0] == warning->problem);
}

TEST_CASE("kernels that are thin across a tilted plane are warned of, though sums keep the mass",
          "[units]") {
  Session session = session_with(gaussian_cloud(2000));
  // Deviations 1 in the plane across u, and 0.05 along u = (0.6, 0.64, 0.48).
  const Vec3 u{0.6, 0.64, 0.48};
  const double less = 1 - 0.05 * 0.05;
  DensityRequest request{.kernel = KernelFunction::gaussian};
  request.bandwidth.bandwidth =
      Symmetric3{1 - less * u.x * u.x, -less * u.x * u.y, -less * u.x * u.z,
                 1 - less * u.y * u.y, -less * u.y * u.z, 1 - less * u.z * u.z};
  request.grid.dims = {40, 0, 0};
  const Density density = session.compute(request);
  CHECK(warning_in(density.facts(), "coarse_grid") == nullptr);
  const Warning* const warning = warning_in(density.facts(), "narrow_kernel");
  REQUIRE(warning != nullptr);
  const double cells = 0.05 / density.facts().grid.spacing.x;
  CHECK_THAT(warning->problem, ContainsSubstring(fmt::format("only {:.2g} cells along", cells)) &&
                                   (ContainsSubstring("(0.6, 0.64, 0.48)") ||
                                    ContainsSubstring("(-0.6, -0.64, -0.48)")));
  request.bandwidth.bandwidth = Vec3{1, 1, 1};
  CHECK(warning_in(session.compute(request).facts(), "narrow_kernel") == nullptr);
}

TEST_CASE("a warning of coarse cells names the axis along which kernels are thinnest", "[units]") {
  Session session = session_with(gaussian_cloud(50));
  for (int axis = 0; axis < 3; ++axis) {
    DensityRequest request;
    Vec3 lengths{3, 3, 3};
    lengths[axis] = 0.2;
    request.bandwidth.bandwidth = lengths;
    request.grid.dims = {12, 12, 12};
    const Density density = session.compute(request);
    const Warning* const warning = warning_in(density.facts(), "coarse_grid");
    REQUIRE(warning != nullptr);
    CHECK_THAT(warning->problem,
               Catch::Matchers::EndsWith(std::string("cells along ") + kAxisNames[axis]));
  }
}

TEST_CASE("one far sample does not empty the box, unless all is asked for", "[units]") {
  Samples cloud = gaussian_cloud(2000);
  cloud.xyz.insert(cloud.xyz.end(), {60, 0, 0});
  Session session = session_with(cloud);
  DensityRequest request{.grid = {.dims = {{32, 0, 0}}}};
  const Density robust = session.compute(request);
  CHECK(robust.grid().bounds().upper.x < 15);
  const Warning* const warning = warning_in(robust.facts(), "outliers");
  REQUIRE(warning != nullptr);
  CHECK(warning->problem.starts_with("1 of 2001 samples"));
  CHECK(robust.facts().mass_in_box == Approx(2000.0 / 2001).epsilon(1e-9));
  request.grid.whole_cloud = true;
  const Density whole = session.compute(request);
  CHECK(whole.grid().bounds().upper.x > 60);
  CHECK(whole.facts().mass_in_box == 1);
  CHECK(warning_in(whole.facts(), "outliers") == nullptr);
}

TEST_CASE("bounds stay, and cells that change for them are said", "[units]") {
  Session session = session_with(gaussian_cloud(500));
  DensityRequest request{
      .grid = {.bounds = Box{{-1, -1, -1}, {1, 1.1, 1}}, .spacing = Vec3{0.25, 0.25, 0.25}}};
  const Density density = session.compute(request);
  CHECK(density.grid().dims == std::array<std::int64_t, 3>{8, 9, 8});
  CHECK(density.grid().bounds().upper.y == Approx(1.1).epsilon(1e-14));
  CHECK(warning_in(density.facts(), "spacing") != nullptr);
  request.grid.bounds->upper.y = 1;
  CHECK(warning_in(session.compute(request).facts(), "spacing") == nullptr);
}

TEST_CASE("the mass in the box is that of the kernels, whole, in parts and in slabs", "[units]") {
  const Samples cloud = gaussian_cloud(4000, true);
  DensityRequest request{
      .grid = {.bounds = Box{{-0.7, -9, -9}, {9, 0.4, 9}}, .dims = {{90, 90, 90}}}};
  const Density density = session_with(cloud).compute(request);
  CHECK(density.facts().mass_in_box < 1);
  CHECK(density.facts().mass_in_box == Approx(density.facts().sum_in_box).epsilon(2e-3));
  CHECK(density.facts().warnings.empty());
}

TEST_CASE("weights of any size leave the density as it is", "[units]") {
  DensityRequest request = request_of("span");
  const std::vector<double> expected =
      numbers_of(session_with(gaussian_cloud(500, true)).compute(request).take_volume());
  const double total = 999;
  for (const Normalization normalization : {Normalization::density, Normalization::count})
    for (const double size : {1e-46, 1e-44, 1e38, 1e100}) {
      INFO(word_of(kNormalizations, normalization) << ", weights of " << size);
      Samples cloud = gaussian_cloud(500, true);
      for (double& weight : cloud.weights) weight *= size;
      request.normalization = normalization;
      Density density = session_with(cloud).compute(request);
      const bool counts = normalization == Normalization::count;
      CHECK((density.facts().precision == Precision::f64) == counts);
      CHECK((warning_in(density.facts(), "precision") != nullptr) == counts);
      CHECK(relative_distance(density.take_volume(), expected, counts ? total * size : 1) < 2e-5);
    }
}

TEST_CASE("one pass takes weights of any size, or says what leaves the range", "[units]") {
  constexpr std::size_t kSamples = 300000;  // more than fit into the limit
  const TemporaryFolder folder;
  const Samples cloud = gaussian_cloud(kSamples);
  DensityRequest request = request_of("span");
  request.bandwidth.bandwidth = Vec3{0.5, 0.6, 0.7};
  request.grid.bounds = Box{{-4, -4, -4}, {4, 4, 4}};
  SessionOptions tight;
  tight.memory_limit = kProgramBytes + (std::int64_t{14} << 20);
  std::vector<double> expected;
  for (const char* const weight : {"1", "1e-44", "1e38", "1e-250"}) {
    INFO("weights of " << weight);
    const std::string path = folder.path("cloud.txt");
    {
      std::ofstream file(path);
      for (std::size_t i = 0; i < kSamples; ++i)
        file << cloud.xyz[3 * i] << ' ' << cloud.xyz[3 * i + 1] << ' ' << cloud.xyz[3 * i + 2]
             << ' ' << weight << '\n';
    }
    CloudFiles files{{path}, {}, io::NonFinite::drop};
    files.columns.weight = std::string("4");
    Session session(tight);
    session.open_in_parts(files);
    Density density = session.compute(request);
    CHECK(density.facts().memory.part_samples > 0);
    CHECK(density.facts().precision == Precision::f32);
    const std::vector<double> values = numbers_of(density.take_volume());
    if (expected.empty()) expected = values;
    CHECK(*std::ranges::max_element(expected) > 0.001);
    CHECK(relative_distance(values, expected) < 2e-5);
    if (std::string_view(weight) == "1") continue;
    DensityRequest counted = request;
    counted.normalization = Normalization::count;
    CHECK(thrown_error([&] { session.compute(counted); }).advice().parameter == "precision");
  }
}
