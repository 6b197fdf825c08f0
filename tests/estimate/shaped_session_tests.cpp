// Densities of samples with per-sample bandwidth factors and shapes, from files or memory.

#include <fmt/core.h>

#include <cmath>

#include "estimate/session.hpp"
#include "estimate/values/density_facts.hpp"
#include "support/cases/case_parts.hpp"
#include "support/catch.hpp"
#include "support/opened_sessions.hpp"
#include "support/temporary_folder.hpp"
#include "support/volume_comparison.hpp"

namespace {

using namespace skde;
using namespace skde::test;

/// Returns samples near the middle of the box, with tilted kernels whose axes are 0.05 to 2.5.
Samples mixed_cloud(std::size_t count) {
  Random random(31);
  Samples cloud;
  add_normal(cloud, random, {1, 2, 3}, 3, count);
  for (std::size_t i = 0; i < count; ++i) {
    cloud.weights.push_back(random.uniform(0.5, 2));
    const auto length = [&] { return random.log_uniform(0.05, 2.5); };
    const Symmetric3 m = random_rotation(random, {length(), length(), length()});
    cloud.shapes.insert(cloud.shapes.end(), {m.xx, m.xy, m.xz, m.yy, m.yz, m.zz});
  }
  return cloud;
}

DensityRequest shaped_request(KernelFunction kernel) {
  return {.kernel = kernel,
          .grid = {.bounds = Box{{-29, -28, -27}, {31, 32, 33}}, .dims = {{60, 60, 60}}},
          .normalization = Normalization::count,
          .precision = Precision::f64,
          .tolerance = 1e-9,
          .options = {.threads = 2}};
}

}  // namespace

TEST_CASE("the sum of the volume stays the sum of the weights, however thin kernels are",
          "[shapes]") {
  const Samples cloud = mixed_cloud(3000);
  Session session = session_with(cloud);
  Density density = session.compute(shaped_request(KernelFunction::gaussian));
  const double weight = density.facts().moments.total_weight();
  CHECK(density.facts().engine == "tile");
  CHECK(density.facts().bandwidth.source == "samples");
  CHECK(density.facts().mass_in_box == Approx(1).epsilon(1e-6));
  CHECK(std::abs(density.take_volume().mass() / weight - 1) < 1e-6);
  REQUIRE(density.facts().thin.now() > 1000);
  REQUIRE(density.facts().warnings.size() == 1);
  CHECK(density.facts().warnings[0].kind == "min_width");

  DensityRequest thin = shaped_request(KernelFunction::gaussian);
  thin.min_width = 0;
  Density as_they_are = session.compute(thin);
  CHECK(as_they_are.facts().thin.now() == 0);
  CHECK(std::abs(as_they_are.take_volume().mass() / weight - 1) > 1e-2);

  DensityRequest single = shaped_request(KernelFunction::gaussian);
  single.precision = Precision::f32;
  single.tolerance = 0;
  CHECK(std::abs(session.compute(single).take_volume().mass() / weight - 1) < 1e-6);
}

TEST_CASE("the bandwidth of shaped samples is their mean", "[shapes]") {
  const Samples cloud{{0, 0, 0, 5, 5, 5}, {1, 3}, {}, {1, 0.5, 0, 1, 0, 1, 5, 0, 0.5, 9, 0, 1}};
  DensityRequest request{.grid = {.dims = {{24, 0, 0}}}};
  const Density density = session_with(cloud).compute(request);
  CHECK(density.facts().kernel.H == Symmetric3{4, 0.125, 0.375, 7, 0, 1});
  // The box holds the cloud and its widest kernels; here they are Epanechnikov's, with half extents
  // 3.
  CHECK(density.facts().grid.bounds().lower.y <= -3 * 0.9);
  CHECK(density.facts().grid.bounds().upper.y >= 8 * 0.9);
}

TEST_CASE("shapes are carried in parts of a file as in memory", "[shapes]") {
  const Samples cloud = mixed_cloud(150000);
  std::string text = "x,y,z,w,a,b,c,d,e,f\n";
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    text += fmt::format("{},{},{},{}", cloud.xyz[3 * i], cloud.xyz[3 * i + 1], cloud.xyz[3 * i + 2],
                        cloud.weights[i]);
    for (std::size_t k = 0; k < 6; ++k) text += fmt::format(",{}", cloud.shapes[6 * i + k]);
    text += '\n';
  }
  const TemporaryFolder folder;
  CloudFiles files{{folder.file("a.csv", text)}, {}, io::NonFinite::error};
  files.columns.weight = std::string(1, 'w');  // g++ 12 warns about a literal
  files.columns.widths = {"a", "b", "c", "d", "e", "f"};
  const DensityRequest request = shaped_request(KernelFunction::biweight);
  const auto [whole, in_memory] = computed_within(std::int64_t{4} << 30, files, request);
  const auto [cut, in_parts] =
      computed_within(kProgramBytes + (std::int64_t{24} << 20), files, request);
  CHECK(in_memory.memory.part_samples == 0);
  CHECK(in_parts.memory.part_samples > 0);
  CHECK(in_parts.memory.part_samples < 150000);
  CHECK(in_parts.kernel.H.xx == Approx(in_memory.kernel.H.xx).epsilon(1e-12));
  CHECK(in_parts.thin.on_cells == in_memory.thin.on_cells);
  CHECK(relative_distance(cut, whole) < 1e-12);
}

TEST_CASE("kernels of a twentieth to 200 cells in one cloud keep their mass", "[shapes]") {
  Random random(77);
  Samples cloud;
  add_uniform(cloud, random, {{0, 0, 0}, {64, 60, 56}}, 80);
  double weight = 0;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    cloud.weights.push_back(random.log_uniform(0.01, 100));
    weight += cloud.weights.back();
    // With these deviations, kernels reach up to 200 cells before they are cut.
    const double longest = random.log_uniform(0.05, 30);
    const auto other = [&] { return random.log_uniform(longest / 30, longest); };
    const Symmetric3 m = random_rotation(random, {longest, other(), other()});
    cloud.shapes.insert(cloud.shapes.end(), {m.xx, m.xy, m.xz, m.yy, m.yz, m.zz});
  }
  DensityRequest request = shaped_request(KernelFunction::gaussian);
  request.grid.bounds = Box{{0, 0, 0}, {64, 60, 56}};
  request.grid.dims = {64, 60, 56};
  // What leaves the box enters it again on the other side.
  request.boundaries = {Boundary::periodic, Boundary::periodic, Boundary::periodic};
  Session session = session_with(cloud);
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    request.precision = precision;
    request.tolerance = precision == Precision::f64 ? 1e-9 : 1e-7;
    Density density = session.compute(request);
    CHECK(density.facts().precision == precision);
    CHECK(density.facts().mass_in_box == Approx(1).epsilon(1e-12));
    CHECK(std::abs(density.take_volume().mass() / weight - 1) < 1e-6);
  }
}
