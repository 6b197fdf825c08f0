// Mean shifts, compared with their definition summed in long double.

#include "engines/registry/mean_shifts.hpp"

#include <cmath>

#include "engines/cpu/ranges/pair_shifts.hpp"
#if SKDE_HAS_FFTW
#include "engines/cpu/spectral/spectral_points.hpp"
#endif
#include "support/cases/case_parts.hpp"
#include "support/catch.hpp"
#include "support/references/shift_reference.hpp"
#include "support/silent.hpp"
#include "support/thrown_error.hpp"

namespace {

using namespace skde;
using namespace skde::test;

std::vector<double> shifts_of(const Symmetric3& H, const SamplesView& sources,
                              std::span<const double> targets, double error = 1e-5) {
  MeanShiftEffort effort;
  effort.error = error;
  return mean_shifts(H, sources, targets, effort, silent);
}

}  // namespace

TEST_CASE("mean shifts are those of the definition", "[shifts]") {
  Random random(11);
  for (int round = 0; round < 30; ++round) {
    const double size = random.log_uniform(1e-3, 1e3);
    const Vec3 at =
        random.chance(0.5) ? Vec3{} : Vec3{1e6 * size, -3e6 * size, 2e6 * random.uniform(-1, 1)};
    Samples cloud = shift_clumps(random, at, size);
    const double spread = random.chance(0.5) ? 1 : random.chance(0.5) ? 30 : 1e12;
    if (spread > 1)
      for (std::size_t i = 0; i < cloud.size(); ++i)
        cloud.weights.push_back(i % 17 == 5 ? 0 : random.log_uniform(1 / spread, 1));
    const double width = size * random.log_uniform(0.05, 5);
    const Symmetric3 H = random_rotation(
        random, {width, width * random.log_uniform(0.1, 1), width * random.log_uniform(0.1, 1)});
    const double error = random.chance(0.5) ? 1e-5 : 1e-8;
    INFO("round " << round << ", size " << size << ", width " << width / size << ", weights "
                  << spread << ", error " << error);
    CHECK(worst_error(H, cloud.view(), cloud.xyz, shifts_of(H, cloud.view(), cloud.xyz, error)) <
          error);
    Samples others = shift_clumps(random, at + Vec3{size, 0, 0}, size);  // no source is at a target
    CHECK(worst_error(H, cloud.view(), others.xyz, shifts_of(H, cloud.view(), others.xyz, error)) <
          error);
  }
}

TEST_CASE("a lone sample beside a far crowd is shifted towards it", "[shifts]") {
  Random random(12);
  Samples cloud;
  add_normal(cloud, random, {0, 0, 0}, 0.2, 20000);
  cloud.xyz.insert(cloud.xyz.end(),
                   {5, 0, 0.1, 0.1, 6, 0, 0, 0, 7, -8, 0, 0, 0, -11, -0.1, 0, 0.1, -30});
  const Symmetric3 H{1, 0.1, 0, 1, 0, 1};
  const std::span<const double> lone = std::span(cloud.xyz).subspan(3 * 20000);
  for (const double own : {1.0, 1e-6}) {
    cloud.weights.assign(cloud.size(), 1);
    for (std::size_t i = 20000; i < cloud.size(); ++i) cloud.weights[i] = own;
    INFO("weight " << own);
    const std::vector<double> shifts = shifts_of(H, cloud.view(), lone);
    CHECK(worst_error(H, cloud.view(), lone, shifts) < 1e-5);
    CHECK(shifts[0] < -0.01);
  }
}

TEST_CASE("few or no sources shift as they should", "[shifts]") {
  const Symmetric3 H{0.5, 0.2, -0.12, 0.6, 0.15, 0.4};
  const std::vector<double> one{1e6, 2e6, -3e6}, near{1e6 + 1, 2e6, -3e6}, far{0, 0, 0};
  CHECK(shifts_of(H, {one}, one) == std::vector<double>(3, 0.0));
  CHECK(shifts_of(H, {one}, far) == std::vector<double>(3, 0.0));
  CHECK(shifts_of(H, {}, near) == std::vector<double>(3, 0.0));
  CHECK(shifts_of(H, {one}, {}).empty());
  const std::vector<double> none{0};
  CHECK(shifts_of(H, {one, none}, near) == std::vector<double>(3, 0.0));
  const std::vector<double> shift = shifts_of(H, {one}, near);
  CHECK(shift[0] == Approx(-1));
  CHECK(std::abs(shift[1]) + std::abs(shift[2]) < 1e-5);
  CHECK_THROWS_AS(shifts_of({1, 2, 0, 1, 0, 1}, {one}, near), Error);
}

TEST_CASE("mean shifts have the same bits for any number of threads", "[shifts]") {
  Random random(13);
  const Samples cloud = shift_clumps(random, {}, 1);
  const Symmetric3 H{0.3, 0.1, 0, 0.2, 0, 0.25};
  std::vector<std::vector<double>> found;
  for (const int threads : {1, 2, 5}) {
    MeanShiftEffort effort;
    effort.threads = threads;
    found.push_back(mean_shifts(H, cloud.view(), cloud.xyz, effort, silent));
  }
  CHECK(found[0] == found[1]);
  CHECK(found[0] == found[2]);
}

#if SKDE_HAS_FFTW
TEST_CASE("mean shifts of wide kernels are those of the definition by transforms", "[shifts]") {
  Random random(14);
  constexpr std::size_t kStep = 97;
  for (int round = 0; round < 6; ++round) {
    const Vec3 at = round % 2 == 0 ? Vec3{} : Vec3{1e6, -3e6, 2e6};
    Samples cloud;
    add_normal(cloud, random, at, 1, 5000);
    add_normal(cloud, random, at + Vec3{3, 0, 1}, 0.4, 3000);
    for (int i = 0; i < 300; ++i)  // tied samples
      cloud.xyz.insert(cloud.xyz.end(), {at.x + 1, at.y - 2, at.z + 3});
    if (round >= 2)
      for (std::size_t i = 0; i < cloud.size(); ++i)
        cloud.weights.push_back(random.log_uniform(round >= 4 ? 1e-5 : 0.1, 1));
    // Samples far from all others, last and therefore always examined.
    for (const double far : {5.0, 9.0, 60.0, 4000.0})
      cloud.xyz.insert(cloud.xyz.end(), {at.x, at.y + far, at.z});
    if (round >= 2) cloud.weights.insert(cloud.weights.end(), {1, 1e-3, 1, 1});
    const Symmetric3 H = random_rotation(random, {0.9, 0.6, 0.7});
    Samples others;
    add_normal(others, random, at + Vec3{1, 0, 0}, 1.2, 6000);
    for (const std::span<const double> targets : {std::span(cloud.xyz), std::span(others.xyz)}) {
      INFO("round " << round << ", " << targets.size() / 3 << " targets");
      const PairShifts pairs(H, cloud.view(), 1);
      const double work = pairs.work(targets, 1e-5);
      CHECK(SpectralShifts(H, pairs.space(), cloud.view(), targets, work).work() < work);
      const std::vector<double> shifts = shifts_of(H, cloud.view(), targets);
      CHECK(worst_error(H, cloud.view(), targets, shifts, kStep) < 1e-5);
      const std::size_t last = targets.size() - 15;
      CHECK(worst_error(H, cloud.view(), targets.subspan(last),
                        {shifts.begin() + std::ptrdiff_t(last), shifts.end()}) < 1e-5);
    }
  }
}
#endif
