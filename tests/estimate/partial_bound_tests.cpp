// The rounding error that merged parts report.

#include <algorithm>
#include <cmath>

#include "estimate/sum/merged_density.hpp"
#include "estimate/sum/part_sums.hpp"
#include "support/cases/case_parts.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/catch.hpp"
#include "support/cells.hpp"
#include "support/references/direct_sums.hpp"
#include "support/silent.hpp"
#include "support/temporary_folder.hpp"

using namespace skde;
using namespace skde::test;

TEST_CASE("the bound of integers is half of a unit a sample and image, over the peak",
          "[partial]") {
  const TemporaryFolder folder;
  Random random(3);
  Samples cloud;
  add_uniform(cloud, random, {{0.2, 0.2, 0.2}, {3.8, 3.8, 3.8}}, 500);
  SumsRequest request;
  request.density.kernel = KernelFunction::biweight;
  request.density.bandwidth.bandwidth = Vec3{1.5, 1.5, 1.5};
  request.density.grid.bounds = Box{{0, 0, 0}, {4, 4, 4}};
  request.density.grid.dims = {8, 8, 8};
  request.density.precision = Precision::f32;
  const CloudFiles files = text_file(folder.path("c.txt"), cloud.view());
  for (const bool reflects : {false, true}) {
    if (reflects) request.density.boundaries = {Boundary::reflect, Boundary::none, Boundary::none};
    const PartialSums partial = sum_part(files, plan_sums(files, request), silent);
    const MergedDensity merged = density_of(partial.head, partial.sums, Normalization::density);
    // The sum at the peak in units, computed from the kernels, each of which has a height of
    // 2^digits.
    const DirectSums direct{KernelFunction::biweight, partial.head.problem.kernel.H, cloud.view()};
    const std::vector<double> ones(cloud.size(), 1.0);
    const double height = direct.pair(cloud.view().point(0), 0);
    double peak = 0;
    for (const auto& [i, j, k] : cells_of({8, 8, 8})) {
      const Vec3 at = partial.head.problem.grid.centre(i, j, k);
      double sum = direct.at(at, ones);
      if (reflects)
        sum += direct.at({-at.x, at.y, at.z}, ones) + direct.at({8 - at.x, at.y, at.z}, ones);
      peak = std::max(peak, sum / height);
    }
    const double images = reflects ? 3 : 1;
    const double expected =
        0.5 * images * 500 / (std::exp2(partial.head.problem.binary_digits) * peak) + 0x1p-24;
    INFO(images << " images");
    CHECK(merged.metadata.error_bound == Approx(expected).epsilon(1e-3));
  }
}
