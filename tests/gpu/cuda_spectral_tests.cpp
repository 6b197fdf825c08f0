#include <algorithm>
#include <cmath>

#include "core/cloud/synthetic_cloud.hpp"
#include "gpu/device_fixture.hpp"
#include "support/cases/spectral_cases.hpp"
#include "support/cases/wrapped_cases.hpp"
#include "support/catch.hpp"
#include "support/volume_comparison.hpp"

using namespace skde;
using namespace skde::test;

namespace {

bool no_transforms() { return skipped(engine_entry("cuda-spectral").unavailable()); }

/// A problem on the box of the five Gaussians, with a kernel of this deviation in cells.
Problem problem_in_cells(std::int64_t cells, double deviation, double tolerance, double samples) {
  const Box box = benchmark_box();
  const Vec3 cell = (1.0 / static_cast<double>(cells)) * box.extent();
  const double h = deviation * cell.x;
  Problem problem;
  problem.target = Grid{box.lower, cell, {cells, cells, cells}};
  problem.kernel = {KernelFunction::gaussian, Symmetric3{h * h, 0.2 * h * h, 0, h * h, 0, h * h},
                    tolerance};
  problem.tolerance = tolerance;
  problem.total_weight = samples;
  return problem;
}

/// The largest |a - b|.
double largest_distance(const Volume& a, const Volume& b) {
  const auto& dims = b.grid().dims;
  double largest = 0;
  for (std::int64_t k = 0; k < dims[2]; ++k)
    for (std::int64_t j = 0; j < dims[1]; ++j)
      for (std::int64_t i = 0; i < dims[0]; ++i)
        largest = std::max(largest, std::abs(a.at(i, j, k) - b.at(i, j, k)));
  return largest;
}

}  // namespace

TEST_CASE("cuda-spectral: no tolerance is exceeded in 200 random cases", "[spectral]") {
  if (no_transforms()) return;
  check_tolerances("cuda-spectral", {}, 200);
}

TEST_CASE("cuda-spectral: ten runs give the same bits, and parts the same density", "[spectral]") {
  if (no_transforms()) return;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const SpectralCase spectral_case = spectral_case_of(seed);
    const Problem& problem = spectral_case.problem;
    const SamplesView points = spectral_case.cloud.view();
    if (!make_engine("cuda-spectral", {})->offer(problem, facts_of(points)).serves()) continue;
    INFO(spectral_case.name);
    const Volume once = run_in_parts("cuda-spectral", {}, problem, {points});
    for (int run = 0; run < 10; ++run)
      CHECK(same_bits(once, run_in_parts("cuda-spectral", {}, problem, {points})));
    const std::size_t cut = points.size() / 3;
    const Volume parts =
        run_in_parts("cuda-spectral", {}, problem,
                     {points.slice(cut, points.size() - cut), points.slice(0, cut)});
    CHECK(largest_distance(parts, once) <= problem.tolerance * once.maximum());
  }
}

TEST_CASE("cuda-spectral: crowded tiles are those of an engine that evaluates kernels",
          "[spectral]") {
  if (no_transforms()) return;
  constexpr std::int64_t kSamples = 100000;
  const Samples cloud = make_five_gaussians(5, 0, kSamples);
  for (const double deviation : {1.2, 2.5, 7.0})
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      Problem problem = problem_in_cells(64, deviation, tolerance, kSamples);
      problem.precision = tolerance < 1e-7 ? Precision::f64 : Precision::f32;
      INFO(deviation << " cells, tolerance " << tolerance);
      const Offer offer =
          make_engine("cuda-spectral", {})->offer(problem, {kSamples, false, false});
      if (!offer.serves()) continue;
      Problem exact = problem;
      exact.precision = Precision::f64;
      exact.kernel.tolerance = 1e-12;
      const Volume expected = run_in_parts("cuda-chop-crop", {}, exact, {cloud.view()});
      const Volume volume = run_in_parts("cuda-spectral", {}, problem, {cloud.view()});
      CHECK(largest_distance(volume, expected) <= tolerance * expected.maximum());
    }
}

TEST_CASE("cuda-spectral: what fills more than half of the GPU's memory is refused", "[spectral]") {
  if (no_transforms()) return;
  EngineOptions little;
  little.device_memory = std::int64_t{64} << 20;
  const Problem problem = problem_in_cells(256, 2.5, 1e-4, 1000);
  CHECK(make_engine("cuda-spectral", {})->offer(problem, {1000, false, false}).serves());
  const Offer refused = make_engine("cuda-spectral", little)->offer(problem, {1000, false, false});
  CHECK(refused.refusal.find("half of the GPU's memory") != std::string::npos);
}

TEST_CASE("cuda-spectral: no tolerance is exceeded in random cases that wrap", "[spectral]") {
  if (no_transforms()) return;
  constexpr double kMostWork = 1.5e7;
  int served = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const WrappedCase wrapped = wrapped_case_of(seed);
    const Problem& problem = wrapped.of.problem;
    const Offer offer =
        make_engine("cuda-spectral", {})->offer(problem, facts_of(wrapped.of.cloud.view()));
    if (!offer.serves() || boundary_density_work(wrapped.reference) > kMostWork) continue;
    ++served;
    INFO(wrapped.of.name << ", tolerance " << problem.tolerance);
    CHECK(offer.wraps);
    CHECK(wrapped_error("cuda-spectral", {}, wrapped) <= problem.tolerance);
  }
  CHECK(served >= 100);
}

TEST_CASE("cuda-spectral: values below 0 stay where they are asked for", "[spectral]") {
  if (no_transforms()) return;
  Problem problem = problem_in_cells(64, 2, 1e-4, 1000);
  const Samples cloud = make_five_gaussians(1, 0, 1000);
  const Volume clamped = run_in_parts("cuda-spectral", {}, problem, {cloud.view()});
  problem.keep_negatives = true;
  const Volume kept = run_in_parts("cuda-spectral", {}, problem, {cloud.view()});
  const auto floats = kept.values<float>(), others = clamped.values<float>();
  REQUIRE(floats.size() == others.size());
  int below = 0;
  for (std::size_t i = 0; i < floats.size(); ++i) {
    if (floats[i] < 0) ++below;
    CHECK(others[i] == std::max(floats[i], 0.0F));
  }
  CHECK(below > 0);
}
