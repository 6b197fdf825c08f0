// The error that is measured after a run that approximates.

#include <algorithm>
#include <cmath>

#include "engines/registry/registry.hpp"
#include "estimate/session.hpp"
#include "estimate/values/density_facts.hpp"
#include "estimate/values/slice_sink.hpp"
#include "support/cases/case_parts.hpp"
#include "support/catch.hpp"
#include "support/opened_sessions.hpp"
#include "support/references/boundary_reference.hpp"
#include "support/silent.hpp"
#include "support/volume_comparison.hpp"

namespace {

using namespace skde;
using namespace skde::test;

Samples normal_cloud(std::size_t count) {
  Random random(11);
  Samples cloud;
  add_normal(cloud, random, {10, 20, 30}, 1, count);
  return cloud;
}

DensityRequest request_of(double tolerance, std::string_view engine) {
  return {.kernel = KernelFunction::gaussian,
          .bandwidth = {.bandwidth = Symmetric3{0.3, 0.1, -0.05, 0.35, 0.05, 0.4}},
          .grid = {.bounds = Box{{6, 16, 26}, {14, 24, 34}}, .dims = {{40, 40, 36}}},
          .tolerance = tolerance,
          .engine = std::string(engine),
          .options = {.threads = 2}};
}

/// Returns the largest error over all cells, as a share of the peak.
double worst_error(const Samples& cloud, const DensityRequest& request, Density& density) {
  const BoundaryCase of{cloud, request.kernel, std::get<Symmetric3>(request.bandwidth.bandwidth),
                        density.grid(), request.boundaries};
  return relative_distance(density.volume(), boundary_density(of));
}

class CountedSlices final : public SliceSink {
 public:
  void begin(const DensityFacts&) override {}
  void take(std::int64_t, const Volume&, Progress&) override { ++taken; }
  void finish(const DensityFacts&, Progress&) override {}
  int taken = 0;
};

}  // namespace

TEST_CASE("the measured error is that of the values at 500 cells", "[measured]") {
  const Samples cloud = normal_cloud(60);
  for (const std::string_view engine : {"spectral", "tile", "naive"})
    for (const double tolerance : {1e-2, 1e-4}) {
      if (!engine_entry(engine).unavailable().empty()) continue;
      for (const Boundary boundary : {Boundary::none, Boundary::reflect}) {
        DensityRequest request = request_of(tolerance, engine);
        request.boundaries = {boundary, Boundary::none, Boundary::none};
        Session session = session_with(cloud);
        Density density = session.compute(request);
        INFO(engine << " at " << tolerance << ", " << word_of(kBoundaries, boundary));
        REQUIRE(density.facts().measured);
        const MeasuredError measured = *density.facts().measured;
        CHECK(measured.cells == 500);
        CHECK(measured.error <= density.facts().error_bound);
        CHECK(density.metadata.measured_error == measured.error);
        CHECK(density.metadata.measured_cells == 500);
        const double worst = worst_error(cloud, request, density);
        CHECK(measured.error < 1.01 * worst);
        CHECK(measured.error > 0.02 * worst);
        CHECK(session.compute(request).facts().measured == measured);
      }
    }
}

TEST_CASE("far from 0 the measured error is that of the same samples near 0", "[measured]") {
  // Multiples of 2^-20 stay exact next to 2^22, so both clouds are equal to the last bit.
  Samples near = normal_cloud(200), far = near;
  for (double& place : near.xyz) place = std::rint(std::ldexp(place, 20)) / 0x1p20;
  std::ranges::transform(near.xyz, far.xyz.begin(), [](double place) { return place + 0x1p22; });
  for (const Boundary boundary : {Boundary::none, Boundary::periodic}) {
    DensityRequest request = request_of(1e-12, "tile");
    request.precision = Precision::f64;
    request.boundaries = {boundary, Boundary::none, boundary};
    Session session = session_with(near);
    const DensityFacts expected = session.compute(request).facts();
    for (int axis = 0; axis < 3; ++axis) {
      request.grid.bounds->lower[axis] += 0x1p22;
      request.grid.bounds->upper[axis] += 0x1p22;
    }
    session.open(far);
    const DensityFacts facts = session.compute(request).facts();
    REQUIRE(expected.measured);
    REQUIRE(facts.measured);
    CHECK(expected.measured->error < expected.error_bound);
    CHECK(facts.measured == expected.measured);
  }
}

TEST_CASE("a tolerance that floats have no digits for is told of", "[measured]") {
  const Samples cloud = normal_cloud(500);
  Session session = session_with(cloud);
  const auto told = [](const std::vector<Warning>& warnings) {
    const auto at = std::ranges::find(warnings, "tolerance", &Warning::kind);
    return at == warnings.end() ? std::string() : at->problem;
  };
  for (const double tolerance : {1e-12, 1e-9, 1e-4, 1e-3})
    for (const Precision precision : {Precision::f32, Precision::f64}) {
      INFO(tolerance << ", " << (precision == Precision::f32 ? "f32" : "f64"));
      DensityRequest request = request_of(tolerance, "tile");
      request.precision = precision;
      request.grid.dims = {14, 13, 12};
      Density density = session.compute(request);
      const bool off = worst_error(cloud, request, density) > tolerance;
      const std::string cells = told(density.facts().warnings);
      CHECK(!off == cells.empty());
      CHECK(off == (precision == Precision::f32 && tolerance < 1e-8));
      if (off) CHECK(cells.find("floats have too few digits") != std::string::npos);
      request.engine.clear();
      const PointDensity points =
          session.evaluate(request, TargetPoints(cloud.xyz), {false, false}, silent);
      CHECK(told(points.facts.warnings).empty() == cells.empty());
    }
}

TEST_CASE("transforms of many samples hold the smallest tolerances", "[measured]") {
  // Integers in units of 2^-51 of all samples are 1e-11 of a single sample's peak.
  Random random(12);
  Samples cloud;
  add_uniform(cloud, random, {{0, 0, 0}, {60, 60, 60}}, 30000);
  DensityRequest request = request_of(5e-11, "spectral");
  request.precision = Precision::f64;
  request.grid.bounds = Box{{20, 20, 20}, {23, 23, 23}};
  request.grid.dims = {10, 11, 9};
  Density density = session_with(cloud).compute(request);
  CHECK(density.facts().error_bound <= 5e-11);
  CHECK(worst_error(cloud, request, density) <= 5e-11);
}

TEST_CASE("widths and slabs are measured as well", "[measured]") {
  Samples cloud = normal_cloud(2000);
  DensityRequest request = request_of(1e-4, "");
  request.min_width = 0;
  Random random(2);
  const Density whole = session_with(cloud).compute(request);
  for (std::size_t i = 0; i < cloud.size(); ++i)
    cloud.bandwidth_factors.push_back(random.uniform(0.5, 1.5));
  const Density own = session_with(cloud).compute(request);
  REQUIRE(own.facts().measured);
  CHECK(own.facts().measured->error < own.facts().error_bound);
  CHECK(own.facts().measured->error > 1e-8);

  request.engine = "tile";
  request.grid.dims = {160, 160, 160};
  SessionOptions options;
  options.memory_limit = kProgramBytes + (std::int64_t{8} << 20);
  Session tight(options);
  tight.open(normal_cloud(2000));
  CountedSlices sink;
  const DensityFacts cut = tight.stream(request, sink, silent);
  CHECK(sink.taken > 1);
  REQUIRE(cut.measured);
  CHECK(cut.measured->error < cut.error_bound);
  CHECK(cut.measured->error > 1e-8);
}

TEST_CASE("values by rounding alone are not measured, nor those that are shown at once",
          "[measured]") {
  DensityRequest request = request_of(0, "");
  request.kernel = KernelFunction::biweight;
  CHECK_FALSE(session_with(normal_cloud(300)).compute(request).facts().measured);
  SessionOptions options;
  options.resident = true;
  Session resident(options);
  resident.open(normal_cloud(300));
  CHECK_FALSE(resident.compute(request_of(1e-4, "")).facts().measured);
}

TEST_CASE("a box where the density is low is warned of when the bound is much of its values",
          "[measured]") {
  const Samples cloud = normal_cloud(400);
  DensityRequest request;
  request.kernel = KernelFunction::triweight;
  request.bandwidth.bandwidth = Symmetric3{9, 0, 0, 9, 0, 9};
  request.grid.bounds = Box{{14.5, 19.5, 29.5}, {15.5, 20.5, 30.5}};  // at ends of kernels
  request.grid.dims = {16, 16, 16};
  request.tolerance = 1e-3;
  request.engine = "spectral";
  if (!engine_entry("spectral").unavailable().empty()) return;
  const auto is_warned = [](const Density& density) {
    return std::ranges::any_of(density.facts().warnings,
                               [](const Warning& w) { return w.kind == "inaccurate"; });
  };
  Session session = session_with(cloud);
  const Density far = session.compute(request);
  REQUIRE(far.facts().measured);
  CHECK(far.facts().measured->error > far.facts().error_bound);
  CHECK(is_warned(far));
  request.grid.bounds = Box{{9.5, 19.5, 29.5}, {10.5, 20.5, 30.5}};
  const Density near = session.compute(request);
  CHECK(near.facts().measured->error <= near.facts().error_bound);
  CHECK(!is_warned(near));
}
