// Mean shifts on GPUs, compared with their definition summed in long double.

#include <chrono>
#include <iostream>

#include "core/cloud/moments.hpp"
#include "core/cloud/synthetic_cloud.hpp"
#include "engines/cuda/cuda_shifts.hpp"
#include "engines/registry/mean_shifts.hpp"
#include "gpu/device_fixture.hpp"
#include "support/cases/case_parts.hpp"
#include "support/references/shift_reference.hpp"
#include "support/silent.hpp"

using namespace skde;
using namespace skde::test;

TEST_CASE("a GPU's mean shifts are those of the definition", "[shifts]") {
  if (skipped()) return;
  Random random(21);
  for (int round = 0; round < 40; ++round) {
    const double size = random.log_uniform(1e-3, 1e3);
    const Vec3 at = random.chance(0.5) ? Vec3{} : Vec3{1e6 * size, -3e6 * size, 2e6 * size};
    Samples cloud = shift_clumps(random, at, size);
    const double spread = random.chance(0.5) ? 1 : random.chance(0.5) ? 30 : 1e8;
    if (spread > 1)
      for (std::size_t i = 0; i < cloud.size(); ++i)
        cloud.weights.push_back(i % 17 == 5 ? 0 : random.log_uniform(1 / spread, 1));
    const double width = size * random.log_uniform(0.05, 5);
    const Symmetric3 H = random_rotation(
        random, {width, width * random.log_uniform(0.1, 1), width * random.log_uniform(0.1, 1)});
    Samples others = shift_clumps(random, at + Vec3{size, 0, 0}, size);
    for (const std::span<const double> targets : {std::span(cloud.xyz), std::span(others.xyz)}) {
      INFO("round " << round << ", width " << width / size << ", weights " << spread);
      std::vector<double> shifts(targets.size());
      const std::vector<std::size_t> unsure =
          cuda_mean_shifts(H, cloud.view(), targets, 1e-5, 0, shifts, silent);
      // At most the samples that are far from all others.
      if (spread == 1 && targets.data() == cloud.xyz.data()) CHECK(unsure.size() <= 2);
      for (const std::size_t i : unsure) {  // they are not the GPU's
        const Vec3 shift = defined_shift(H, cloud.view(), place_of(targets, i));
        for (int a = 0; a < 3; ++a) shifts[3 * i + std::size_t(a)] = shift[a];
      }
      CHECK(worst_error(H, cloud.view(), targets, shifts) < 1e-5);
    }
  }
}

TEST_CASE("a GPU shifts lone samples towards a far crowd", "[shifts]") {
  if (skipped()) return;
  Random random(22);
  Samples cloud;
  add_normal(cloud, random, {0, 0, 0}, 0.2, 20000);
  cloud.xyz.insert(cloud.xyz.end(),
                   {5, 0, 0.1, 0.1, 6, 0, 0, 0, 7, -8, 0, 0, 0, -11, -0.1, 0, 0.1, -30});
  const Symmetric3 H{1, 0.1, 0, 1, 0, 1};
  MeanShiftEffort effort;
  effort.gpu = 0;
  const std::vector<double> shifts = mean_shifts(H, cloud.view(), cloud.xyz, effort, silent);
  const std::size_t first = 3 * std::size_t{20000};
  CHECK(worst_error(H, cloud.view(), std::span(cloud.xyz).subspan(first),
                    {shifts.begin() + std::ptrdiff_t(first), shifts.end()}) < 1e-5);
  CHECK(worst_error(H, cloud.view(), cloud.xyz, shifts, 211) < 1e-5);
  CHECK(shifts[first] < -0.01);
}

TEST_CASE("a GPU's mean shifts of a million samples are those of the CPU", "[shifts]") {
  if (skipped()) return;
  const std::size_t count = std::min<std::size_t>(1000000, most_items());
  const Samples cloud = make_five_gaussians(1, 0, count);
  const Symmetric3 S = compute_moments(cloud.view()).covariance();
  for (const double h : {0.05, 0.1, 0.3}) {
    const Symmetric3 H = (h * h) * S;
    MeanShiftEffort effort;
    effort.gpu = 0;
    std::vector<double> shifts;
    for (int round = 0; round < 3; ++round) {
      const auto start = std::chrono::steady_clock::now();
      shifts = mean_shifts(H, cloud.view(), cloud.xyz, effort, silent);
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      std::cout << count << " samples, h " << h << ": " << seconds.count() << " s with transfers\n";
    }
    std::vector<double> some, found;
    for (std::size_t i = 0; i < count; i += 1 + count / 2000) {
      some.insert(some.end(), &cloud.xyz[3 * i], &cloud.xyz[3 * i] + 3);
      found.insert(found.end(), &shifts[3 * i], &shifts[3 * i] + 3);
    }
    CHECK(worst_error(H, cloud.view(), some, found, 100) < 1e-5);
    effort.gpu.reset();
    const std::vector<double> exact = mean_shifts(H, cloud.view(), some, effort, silent);
    long double worst = 0;
    for (std::size_t i = 0; i < some.size() / 3; ++i) {
      const Vec3 apart = place_of(found, i) - place_of(exact, i);
      worst = std::max(worst, form(H, apart, apart));
    }
    CHECK(std::sqrt(worst) < 2e-5);
  }
}
