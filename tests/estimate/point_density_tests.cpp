// Densities at points, compared with densities on grids and with direct sums.

#include <cmath>

#include "estimate/session.hpp"
#include "estimate/values/density_facts.hpp"
#include "support/cases/case_parts.hpp"
#include "support/catch.hpp"
#include "support/cells.hpp"
#include "support/opened_sessions.hpp"
#include "support/references/boundary_reference.hpp"
#include "support/references/direct_sums.hpp"
#include "support/silent.hpp"
#include "support/thrown_error.hpp"
#include "support/volume_comparison.hpp"

namespace {

using namespace skde;
using namespace skde::test;

Samples cloud_of(std::uint64_t seed, bool shaped) {
  Random random(seed);
  Samples cloud;
  add_normal(cloud, random, {1, 2, 3}, 0.8, 150);
  add_uniform(cloud, random, {{-1, 0, 1}, {3, 4, 5}}, 150);
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    cloud.weights.push_back(random.log_uniform(0.1, 10));
    if (shaped) cloud.bandwidth_factors.push_back(random.log_uniform(0.5, 2));
  }
  return cloud;
}

DensityRequest points_request(KernelFunction kernel) {
  DensityRequest request{.kernel = kernel,
                         .bandwidth = {.bandwidth = kTiltedBandwidth},
                         .grid = {.bounds = Box{{-1, 0, 1}, {3, 4, 5}}},
                         .precision = Precision::f64,
                         .min_width = 0,
                         .options = {.threads = 2}};
  if (kernel == KernelFunction::gaussian) request.tolerance = 1e-12;
  return request;
}

double total(const Samples& cloud) {
  double sum = 0;
  for (const double weight : cloud.weights) sum += weight;
  return sum;
}

}  // namespace

TEST_CASE("densities at cell centres are those of the grid, at any boundary", "[points]") {
  for (const KernelFunction kernel :
       {KernelFunction::epanechnikov, KernelFunction::triweight, KernelFunction::gaussian,
        KernelFunction::cosine, KernelFunction::exponential})
    for (const Boundary boundary :
         {Boundary::none, Boundary::reflect, Boundary::periodic, Boundary::renormalize})
      for (const std::optional<double> adaptive : {std::optional<double>(), std::optional(0.5)})
        for (const bool shaped : {false, true}) {
          if (shaped && adaptive) continue;
          DensityRequest request = points_request(kernel);
          request.boundaries = {boundary, boundary, Boundary::none};
          request.adaptive = adaptive;
          request.engine = "tile";
          request.grid.dims = {9, 8, 7};
          Session session = session_with(cloud_of(3, shaped));
          const Volume volume = session.compute(request).take_volume();
          const Grid& grid = volume.grid();
          std::vector<double> points;
          for (const auto& [i, j, k] : cells_of({9, 8, 7})) {
            const Vec3 centre = grid.centre(i, j, k);
            points.insert(points.end(), {centre.x, centre.y, centre.z});
          }
          request.engine = "";
          const PointDensity found = session.evaluate(request, TargetPoints(points), {}, silent);
          CHECK(found.facts.engine == "ranges");
          INFO(kernel->name << ", " << word_of(kBoundaries, boundary));
          CHECK(relative_distance(volume, found.values) < 1e-10);
        }
}

TEST_CASE("beyond faces where the box ends nothing is, and a period repeats", "[points]") {
  Session session = session_with(cloud_of(4, false));
  DensityRequest request = points_request(KernelFunction::biweight);
  request.boundaries = {Boundary::periodic, Boundary::reflect, Boundary::none};
  const TargetPoints points({1, 2, 3, 9, 2, 3, 1, 5, 3});
  const std::vector<double> values = session.evaluate(request, points, {}, silent).values;
  CHECK(values[0] > 0);
  CHECK(values[1] == Approx(values[0]).epsilon(1e-9));  // two periods of 4 further
  CHECK(values[2] == 0);
}

TEST_CASE("one left out is the density of the others, with its gradient", "[points]") {
  for (const KernelFunction kernel : {KernelFunction::biweight, KernelFunction::gaussian})
    for (const bool shaped : {false, true}) {
      const Samples cloud = cloud_of(5, shaped);
      Session session = session_with(cloud);
      const PointDensity found =
          session.evaluate(points_request(kernel), TargetPoints(cloud.xyz), {true, true}, silent);
      DensityRequest counts = points_request(kernel);
      counts.normalization = Normalization::count;
      const PointDensity counted =
          session.evaluate(counts, TargetPoints(cloud.xyz), {true, true}, silent);
      const DirectSums direct{kernel, kTiltedBandwidth, cloud.view()};
      double worst = 0, most = 0, slope = 0, steepest = 0;
      for (std::size_t i = 0; i < cloud.size(); ++i) {
        std::vector<double> others = cloud.weights;
        others[i] = 0;
        const double left = total(cloud) - cloud.weights[i];
        const double expected = direct.at(cloud.view().point(i), others) / left;
        const auto gradient = direct.gradient(cloud.view().point(i), others);
        worst = std::max(worst, std::abs(found.values[i] - expected));
        worst = std::max(worst, std::abs(counted.values[i] / left - expected));
        most = std::max(most, expected);
        for (std::size_t a = 0; a < 3; ++a) {
          slope = std::max(slope, std::abs(found.gradients[3 * i + a] - gradient[a] / left));
          slope = std::max(slope, std::abs(counted.gradients[3 * i + a] - gradient[a]) / left);
          steepest = std::max(steepest, std::abs(gradient[a] / left));
        }
      }
      CHECK(worst < 1e-10 * most);
      CHECK(slope < 1e-9 * steepest);
    }
}

TEST_CASE("one left out of a periodic box leaves out its images", "[points]") {
  const Samples cloud = cloud_of(6, false);
  DensityRequest request = points_request(KernelFunction::triweight);
  request.bandwidth.bandwidth = 16.0 * kTiltedBandwidth;  // wider than the box
  request.boundaries = {Boundary::periodic, Boundary::reflect, Boundary::none};
  Samples inside;  // none of them beyond a face
  for (std::size_t i = 150; i < cloud.size(); ++i) {
    inside.xyz.insert(inside.xyz.end(), &cloud.xyz[3 * i], &cloud.xyz[3 * i] + 3);
    inside.weights.push_back(cloud.weights[i]);
  }
  Session session = session_with(inside);
  const PointDensity found =
      session.evaluate(request, TargetPoints(inside.xyz), {true, false}, silent);
  for (const std::size_t left_out : {0, 77}) {
    Samples others = inside;
    const auto at = static_cast<std::ptrdiff_t>(left_out);
    others.xyz.erase(others.xyz.begin() + 3 * at, others.xyz.begin() + 3 * at + 3);
    others.weights.erase(others.weights.begin() + at);
    Session rest = session_with(others);
    const Vec3 place = inside.view().point(left_out);
    const double expected =
        rest.evaluate(request, TargetPoints({place.x, place.y, place.z}), {}, silent).values[0];
    CHECK(found.values[left_out] == Approx(expected).epsilon(1e-9));
  }
}

TEST_CASE("one left out and gradients count what faces make of samples", "[points]") {
  // A different boundary on each axis, with tilted kernels that reach beyond the next face.
  const std::vector<Boundaries> kinds{
      {Boundary::reflect, Boundary::periodic, Boundary::none},
      {Boundary::reflect, Boundary::reflect, Boundary::periodic},
      {Boundary::renormalize, Boundary::none, Boundary::reflect},
      {Boundary::renormalize, Boundary::renormalize, Boundary::renormalize}};
  for (const KernelFunction kernel : {KernelFunction::triweight, KernelFunction::gaussian})
    for (const Boundaries& kind : kinds)
      for (const bool shaped : {false, true}) {
        Random random(9);
        BoundaryCase of{
            {}, kernel, 2.0 * kTiltedBandwidth, {{-1, 0, 1}, {4, 4, 4}, {1, 1, 1}}, kind};
        if (kernel == KernelFunction::gaussian) of.H = 0.3 * kTiltedBandwidth;
        add_uniform(of.cloud, random, {{-1, 0, 1}, {3, 4, 5}}, 8);
        for (std::size_t i = 0; i < of.cloud.size(); ++i) {
          of.cloud.weights.push_back(random.log_uniform(0.1, 10));
          if (shaped) of.cloud.bandwidth_factors.push_back(random.log_uniform(0.7, 1.4));
        }
        DensityRequest request = points_request(kernel);
        request.bandwidth.bandwidth = of.H;
        request.boundaries = kind;
        Session session = session_with(of.cloud);
        const PointDensity found =
            session.evaluate(request, TargetPoints(of.cloud.xyz), {true, true}, silent);
        const bool divides = kind[0] == Boundary::renormalize;
        double worst = 0, most = 0, slope = 0, steepest = 0;
        for (std::size_t i = 0; i < of.cloud.size(); ++i) {
          BoundaryCase others = of;
          others.cloud.weights[i] = 0;
          constexpr double kStep = 1e-4;
          const Vec3 at = of.cloud.view().point(i);
          std::vector<Vec3> places{at};
          for (int axis = 0; axis < 3; ++axis)
            for (const double step : {-kStep, kStep}) {
              places.push_back(at);
              places.back()[axis] += step;
            }
          const std::vector<double> expected = boundary_density_at(others, places);
          worst = std::max(worst, std::abs(found.values[i] - expected[0]));
          most = std::max(most, expected[0]);
          for (std::size_t a = 0; a < 3; ++a) {
            const double rise = (expected[2 * a + 2] - expected[2 * a + 1]) / (2 * kStep);
            slope = std::max(slope, std::abs(found.gradients[3 * i + a] - rise));
            steepest = std::max(steepest, std::abs(rise));
          }
        }
        INFO(kernel->name << ", " << word_of(kBoundaries, kind[0]) << ", " << shaped);
        CHECK(worst < (divides ? 1e-3 : 1e-9) * most);  // the reference sums masses over cells
        CHECK(slope < (divides ? 1e-3 : 1e-5) * steepest);
      }
}

TEST_CASE("one left out keeps its digits beside a sample that has nearly all of the weight",
          "[points]") {
  for (const bool reflects : {false, true}) {
    Samples cloud{{0.1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, {1e17, 1, 1, 1}};
    DensityRequest request = points_request(KernelFunction::epanechnikov);
    request.bandwidth.bandwidth = Vec3{2, 2, 2};
    request.grid.bounds = Box{{-3, -3, -3}, {3, 3, 3}};
    if (reflects) request.boundaries.fill(Boundary::reflect);
    Session session = session_with(cloud);
    const TargetPoints own(cloud.xyz);
    const PointDensity found = session.evaluate(request, own, {true, true}, silent);
    Samples others = cloud;
    others.weights[0] = 0;
    session.open(others);
    const PointDensity expected = session.evaluate(request, own, {false, true}, silent);
    CHECK(found.values[0] == Approx(expected.values[0]).epsilon(1e-13));
    CHECK(found.gradients[0] == Approx(expected.gradients[0]).epsilon(1e-12));
  }
}

TEST_CASE("densities at points beyond the range of floats are in double, and said to be",
          "[points]") {
  Samples cloud = cloud_of(50, false);
  for (double& place : cloud.xyz) place *= 1e16;
  Session session = session_with(cloud);
  DensityRequest request{.precision = Precision::f32};
  const PointDensity found = session.evaluate(request, TargetPoints(cloud.xyz), {}, silent);
  CHECK(found.facts.precision == Precision::f64);
  REQUIRE(found.facts.warnings.size() == 1);
  CHECK(found.facts.warnings[0].kind == "precision");
  request.precision = Precision::f64;
  CHECK(session.evaluate(request, TargetPoints(cloud.xyz), {}, silent).values == found.values);
  CHECK(found.facts.peak > 0);
}

TEST_CASE("points that cannot be evaluated at are told", "[points]") {
  const Samples cloud = cloud_of(7, false);
  Session session = session_with(cloud);
  DensityRequest request = points_request(KernelFunction::epanechnikov);
  const auto error = [&](std::vector<double> points, PointWishes wishes) {
    return thrown_error([&] {
      static_cast<void>(session.evaluate(request, TargetPoints(std::move(points)), wishes, silent));
    });
  };
  CHECK(error({}, {}).kind() == ErrorKind::input);
  CHECK(error({1, 2, NAN}, {}).problem().find("the z of point 0 (from 0)") != std::string::npos);
  CHECK(error({1, 2, 3}, {true, false}).parameter() == "loo");
  request.engine = "span";
  CHECK(error({1, 2, 3}, {}).parameter() == "engine");
  request.engine = "";
  request.normalization = Normalization::box;
  CHECK(error({1, 2, 3}, {}).parameter() == "normalize");
  request = points_request(KernelFunction::uniform);
  CHECK(error({1, 2, 3}, {false, true}).parameter() == "kernel");
}
