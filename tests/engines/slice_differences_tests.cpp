#include "engines/cpu/span/slice_differences.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/kernel/kernel_shape.hpp"
#include "engines/cpu/span/slice_rows.hpp"
#include "support/cases/case_parts.hpp"
#include "support/cases/density_cases.hpp"
#include "support/catch.hpp"
#include "support/references/reference.hpp"
#include "support/volume_comparison.hpp"

using namespace skde;
using namespace skde::test;

namespace {

constexpr std::array kServed{KernelFunction::epanechnikov, KernelFunction::uniform};
constexpr double kStatedError = 2e-5;

/// The samples of a case, in the form in which the engine passes them to the slice summing classes.
struct PlacedCase {
  Ellipsoid<double> ellipsoid;
  std::vector<SliceSample<float>> samples;

  PlacedCase(const DensityCase& density_case, KernelFunction function)
      : ellipsoid(make_ellipsoid(density_case.H, density_case.grid)) {
    const Kernel kernel{function, density_case.H};
    const double amplitude = kernel.amplitude() / density_case.total_weight();
    const SamplesView points = density_case.cloud.view();
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto p = place_sample<float>(density_case.grid, ellipsoid, points.point(i));
      if (!p.reaches || !(points.weight(i) > 0)) continue;
      samples.push_back({{p.cell[0], p.cell[1], p.cell[2]},
                         {p.offset[0], p.offset[1], p.offset[2]},
                         static_cast<float>(amplitude * points.weight(i))});
    }
  }
};

/// Sums every slice in blocks of at most `block` samples.
Volume by_differences(const DensityCase& density_case, KernelFunction function,
                      std::size_t block = SliceDifferences::kMostSamples) {
  const PlacedCase placed(density_case, function);
  const Grid& grid = density_case.grid;
  const auto nx = static_cast<std::int32_t>(grid.dims[0]),
             ny = static_cast<std::int32_t>(grid.dims[1]);
  Volume volume(grid, Precision::f32);
  SliceDifferences differences(nx, ny);
  for (std::int32_t z = 0; z < grid.dims[2]; ++z)
    for (std::size_t i = 0; i < placed.samples.size(); i += block) {
      const std::size_t count = std::min(block, placed.samples.size() - i);
      differences.add({placed.samples.data() + i, count}, z, function,
                      placed.ellipsoid.cast<float>(),
                      volume.values<float>().data() + std::int64_t{z} * nx * ny);
    }
  return volume;
}

Volume by_vectors(const DensityCase& density_case, KernelFunction function) {
  const PlacedCase placed(density_case, function);
  const Grid& grid = density_case.grid;
  const auto nx = static_cast<std::int32_t>(grid.dims[0]),
             ny = static_cast<std::int32_t>(grid.dims[1]);
  Volume volume(grid, Precision::f32);
  SliceRows<float> rows(nx, ny);
  for (std::int32_t z = 0; z < grid.dims[2]; ++z) {
    add_samples<float>(rows, placed.samples, z, function, placed.ellipsoid.cast<float>());
    rows.move_to(volume.values<float>().data() + std::int64_t{z} * nx * ny);
  }
  return volume;
}

void check_volume(const Volume& volume, const DensityCase& density_case, const Reference& reference,
                  KernelFunction function) {
  const WorstCell worst = worst_cell(volume, density_case, reference, function);
  INFO("cell " << worst.index << " is " << worst.value << ", not " << worst.expected);
  CHECK(worst.error <= kStatedError);
  CHECK(stray_cells(volume, reference) == 0);
  const auto values = volume.values<float>();
  CHECK(*std::min_element(values.begin(), values.end()) >= 0);
}

Reference reference_of(const DensityCase& density_case) {
  return make_reference(density_case.cloud.view(), density_case.H, density_case.grid,
                        density_case.total_weight());
}

/// Makes a case with rows of hundreds of cells, which are rare in the named cases.
DensityCase long_case(std::uint64_t seed, std::array<std::int64_t, 3> dims, Vec3 half_axes) {
  DensityCase result{"long rows", {}, random_rotated(seed, half_axes), Grid{}};
  result.grid = Grid{{0, 0, 0}, {1, 1, 1}, dims};
  Random random(seed);
  add_uniform(result.cloud, random, result.grid.bounds(), 150);
  add_shell(result.cloud, random, result.grid.bounds(), 20, 80);
  for (std::size_t i = 0; i < result.cloud.size(); ++i)
    result.cloud.weights.push_back(std::pow(10.0, random.uniform(-3, 3)));
  return result;
}

}  // namespace

TEST_CASE("rows by their differences are as near to the reference as rows of vectors",
          "[slice_differences]") {
  for (const DensityCase& density_case : density_cases()) {
    const Reference reference = reference_of(density_case);
    for (const KernelFunction function : kServed) {
      INFO(density_case.name << ", " << function->name);
      check_volume(by_differences(density_case, function), density_case, reference, function);
      // One sum over all samples, without the engine's blocks, is as accurate for few samples.
      if (density_case.cloud.size() <= 600)
        check_volume(by_vectors(density_case, function), density_case, reference, function);
    }
  }
}

TEST_CASE("long rows are summed by their differences", "[slice_differences]") {
  for (const DensityCase& density_case :
       {long_case(1, {701, 11, 3}, {300, 12, 9}), long_case(2, {1023, 7, 3}, {150, 150, 150}),
        long_case(3, {333, 9, 5}, {2000, 900, 1400}), long_case(4, {900, 5, 1}, {260, 0.7, 0.6}),
        long_case(5, {517, 3, 5}, {3e5, 2e5, 1e5})}) {
    const Reference reference = reference_of(density_case);
    for (const KernelFunction function : kServed) {
      INFO(density_case.grid.dims[0] << " columns, " << function->name);
      check_volume(by_differences(density_case, function), density_case, reference, function);
      check_volume(by_vectors(density_case, function), density_case, reference, function);
    }
  }
}

TEST_CASE("differences of random cases are as near to the reference", "[slice_differences]") {
  for (std::uint64_t seed = 100; seed < 130; ++seed) {
    const DensityCase density_case = random_case(seed);
    const Reference reference = reference_of(density_case);
    for (const KernelFunction function : kServed) {
      INFO(density_case.name << ", " << function->name);
      check_volume(by_differences(density_case, function), density_case, reference, function);
      check_volume(by_differences(density_case, function, 7), density_case, reference, function);
    }
  }
}

TEST_CASE("as many samples in one place as a block holds do not overflow", "[slice_differences]") {
  for (const double radius : {0.9, 30.0, 400.0})
    for (const double weight : {1.0, 1e30}) {
      const double h = radius * radius;
      DensityCase one{
          "", {}, Symmetric3::diagonal(h, h, h), Grid{{0, 0, 0}, {1, 1, 1}, {81, 3, 1}}};
      one.cloud.xyz = {40.4, 1.6, 0.5};
      one.cloud.weights = {weight};
      DensityCase pile = one;
      repeat(pile.cloud, SliceDifferences::kMostSamples);
      pile.cloud.weights.assign(pile.cloud.size(), weight);
      const Reference reference = reference_of(one);  // of the same density
      for (const KernelFunction function : kServed) {
        INFO("radius " << radius << ", weight " << weight << ", " << function->name);
        check_volume(by_differences(pile, function), one, reference, function);
      }
    }
}

TEST_CASE("one sample outweighs all others without overflow", "[slice_differences]") {
  DensityCase density_case = long_case(6, {301, 5, 3}, {120, 40, 30});
  density_case.cloud.weights[3] = 1e12;
  const Reference reference = reference_of(density_case);
  for (const KernelFunction function : kServed)
    check_volume(by_differences(density_case, function), density_case, reference, function);
}

TEST_CASE("rows of differences are never below 0", "[slice_differences]") {
  // Kernels that end at a cell's centre, up to the rounding of their centres and half widths.
  for (int hundredths = 1; hundredths < 50; ++hundredths) {
    const double offset = 0.01 * hundredths, half = 20 - offset;
    DensityCase density_case{"", {}, Symmetric3::diagonal(half * half, 25, 9), Grid{}};
    density_case.grid = Grid{{0, 0, 0}, {1, 1, 1}, {100, 3, 3}};
    density_case.cloud.xyz = {50.5 + offset, 1.5, 1.5};
    for (const KernelFunction function : kServed)
      CHECK(std::ranges::min(by_differences(density_case, function).values<float>()) >= 0);
  }
}

TEST_CASE("differences add to what a slice holds", "[slice_differences]") {
  const DensityCase density_case = named_case("long along x");
  const PlacedCase placed(density_case, KernelFunction::epanechnikov);
  SliceDifferences differences(300, 5);
  std::vector<float> slice(300 * 5, 0), twice(300 * 5, 0);
  const auto add = [&](std::vector<float>& to) {
    differences.add(placed.samples, 3, KernelFunction::epanechnikov, placed.ellipsoid.cast<float>(),
                    to.data());
  };
  add(slice);
  add(twice);
  CHECK(slice == twice);  // the first call leaves nothing behind
  CHECK(*std::max_element(slice.begin(), slice.end()) > 0);
  add(twice);
  for (std::size_t i = 0; i < slice.size(); ++i) CHECK(twice[i] == 2 * slice[i]);
}

TEST_CASE("differences serve kernels whose sums keep their digits", "[slice_differences]") {
  CHECK(SliceDifferences::serves(KernelFunction::epanechnikov, 1024));
  CHECK(SliceDifferences::serves(KernelFunction::uniform, 1024));
  CHECK_FALSE(SliceDifferences::serves(KernelFunction::biweight, 1024));
  CHECK_FALSE(SliceDifferences::serves(KernelFunction::triweight, 1024));
  CHECK_FALSE(SliceDifferences::serves(KernelFunction::uniform, 1 << 21));
}
