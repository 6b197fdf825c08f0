#include "engines/cpu/span/slice_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/kernel/kernel_shape.hpp"
#include "engines/cpu/span/slice_differences.hpp"
#include "engines/registry/registry.hpp"
#include "support/cases/case_parts.hpp"
#include "support/cases/density_cases.hpp"
#include "support/catch.hpp"
#include "support/engine_contract.hpp"
#include "support/references/reference.hpp"
#include "support/volume_comparison.hpp"

using namespace skde;
using namespace skde::test;

namespace {

/// Makes a case of one slice of nx * ny cells, with samples in and around it.
DensityCase slice_case(std::int64_t nx, std::int64_t ny, Vec3 half_axes) {
  DensityCase result{"", {}, random_rotated(5, half_axes), Grid{}};
  result.grid = Grid{{0, 0, 0}, {1, 1, 1}, {nx, ny, 1}};
  Random random(static_cast<std::uint64_t>(nx));
  Box around = result.grid.bounds();
  around.lower = around.lower - Vec3{4, 4, 3};
  around.upper = around.upper + Vec3{4, 4, 3};
  add_uniform(result.cloud, random, around, 60);
  return result;
}

template <class Real>
std::vector<SliceSample<Real>> placed(const DensityCase& density_case, KernelFunction function) {
  const Ellipsoid<double> ellipsoid = make_ellipsoid(density_case.H, density_case.grid);
  const double weight = peak_of_one_kernel(function, density_case.H, 1, 1);
  std::vector<SliceSample<Real>> samples;
  const SamplesView points = density_case.cloud.view();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto p = place_sample<Real>(density_case.grid, ellipsoid, points.point(i));
    samples.push_back({{p.cell[0], p.cell[1], p.cell[2]},
                       {p.offset[0], p.offset[1], p.offset[2]},
                       static_cast<Real>(weight)});
  }
  return samples;
}

/// Returns the largest error as a share of the peak, and checks that the slice's earlier values are
/// kept.
template <class Real>
double error_of_slice(const DensityCase& density_case, const Reference& reference,
                      KernelFunction function) {
  const auto nx = static_cast<std::int32_t>(density_case.grid.dims[0]),
             ny = static_cast<std::int32_t>(density_case.grid.dims[1]);
  const auto ellipsoid = make_ellipsoid(density_case.H, density_case.grid).template cast<Real>();
  const std::vector<SliceSample<Real>> samples = placed<Real>(density_case, function);
  const double one_kernel = peak_of_one_kernel(function, density_case.H, 1, 1);
  const double peak = std::max(reference.peak(function), one_kernel);
  const Real before = static_cast<Real>(one_kernel);  // the values already in the slice
  SliceRows<Real> rows(nx, ny);
  add_samples<Real>(rows, samples, 0, function, ellipsoid);
  std::vector<Real> slice(static_cast<std::size_t>(nx * ny), before);
  rows.move_to(slice.data());
  CHECK(*std::max_element(rows.row(0), rows.row(0) + nx) == 0);
  const Bracket& bracket =
      reference.uniform_in(sizeof(Real) == sizeof(float) ? Precision::f32 : Precision::f64);
  double worst = 0;
  for (std::size_t i = 0; i < slice.size(); ++i) {
    const double value = static_cast<double>(slice[i]) - static_cast<double>(before);
    const bool jumps = function == KernelFunction::uniform;
    const double low = jumps ? bracket.low[i] : reference.of(function)[i];
    const double high = jumps ? bracket.high[i] : reference.of(function)[i];
    worst = std::max({worst, (low - value) / peak, (value - high) / peak});
  }
  return worst;
}

void check_slices(std::int64_t nx, std::int64_t ny, Vec3 half_axes) {
  INFO(nx << " x " << ny << " cells, kernels of " << half_axes.x);
  const DensityCase density_case = slice_case(nx, ny, half_axes);
  const Reference reference =
      make_reference(density_case.cloud.view(), density_case.H, density_case.grid, 1);
  for (const KernelFunction function : kKernelFunctions) {
    if (!function->degree) continue;
    INFO(function->name);
    CHECK(error_of_slice<float>(density_case, reference, function) < 1e-5);
    CHECK(error_of_slice<double>(density_case, reference, function) < 1e-13);
  }
}

}  // namespace

TEST_CASE("rows of any length are summed, vectors reach past none", "[slice_rows]") {
  for (std::int64_t nx = 1; nx <= 50; ++nx) check_slices(nx, 6, {7, 3, 4});
}

TEST_CASE("slices of kernels of any size are summed", "[slice_rows]") {
  for (const double size : {0.2, 0.6, 2.0, 15.0, 90.0})
    for (const std::int64_t ny : {1, 2, 19}) check_slices(33, ny, {size, 0.8 * size, 1.2 * size});
}

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

namespace {

/// Mean length, counted in cells, of the rows that a kernel in the middle of the grid covers.
double counted_row_cells(const Ellipsoid<double>& e, const Grid& grid) {
  double cells = 0, rows = 0;
  const auto& dims = grid.dims;
  const std::int64_t middle[] = {dims[0] / 2, dims[1] / 2, dims[2] / 2};
  for (std::int64_t z = 0; z < dims[2]; ++z)
    for (std::int64_t y = 0; y < dims[1]; ++y) {
      std::int64_t covered = 0;
      for (std::int64_t x = 0; x < dims[0]; ++x)
        covered += e.q(static_cast<double>(x - middle[0]), static_cast<double>(y - middle[1]),
                       static_cast<double>(z - middle[2])) < 1;
      cells += static_cast<double>(covered);
      rows += covered > 0;
    }
  return cells / rows;
}

/// A case of one sample whose kernel has this half width along x.
DensityCase case_of(double half_width) {
  DensityCase result{"",
                     {},
                     Symmetric3::diagonal(half_width * half_width, 9, 9),
                     Grid{{0, 0, 0}, {1, 1, 1}, {200, 5, 3}}};
  result.cloud.xyz = {100, 2, 1};
  return result;
}

std::string policy_of(const DensityCase& density_case, KernelFunction function,
                      Precision precision) {
  NoProgress silent;
  const auto engine = make_engine("span", {});
  const auto run = engine->begin(problem_of(density_case, function, precision));
  run->add(*engine->load(density_case.cloud.view()), silent);
  return run->launch_policy();
}

bool by_differences(double half_width, KernelFunction function, Precision precision) {
  return policy_of(case_of(half_width), function, precision).find("difference rows") !=
         std::string::npos;
}

}  // namespace

TEST_CASE("the mean row is as long as rows are on the average", "[row_method]") {
  const Grid grid{{0, 0, 0}, {1, 1, 1}, {90, 80, 70}};
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto ellipsoid = make_ellipsoid(random_rotated(seed, {28, 15, 21}), grid);
    CHECK(mean_row_cells(ellipsoid, grid) ==
          Approx(counted_row_cells(ellipsoid, grid)).epsilon(0.02));
  }
  const auto wide = make_ellipsoid(Symmetric3::diagonal(1e6, 100, 100), grid);
  CHECK(mean_row_cells(wide, grid) == 90);
}

TEST_CASE("long rows are added by their differences where those serve", "[row_method]") {
  const double shorter = 0.7 * kBreakEvenRowCells, longer = 0.8 * kBreakEvenRowCells;
  CHECK_FALSE(by_differences(shorter, KernelFunction::epanechnikov, Precision::f32));
  CHECK(by_differences(longer, KernelFunction::epanechnikov, Precision::f32));
  CHECK(by_differences(longer, KernelFunction::uniform, Precision::f32));
  CHECK_FALSE(by_differences(longer, KernelFunction::biweight, Precision::f32));
  CHECK_FALSE(by_differences(longer, KernelFunction::triweight, Precision::f32));
  CHECK_FALSE(by_differences(longer, KernelFunction::epanechnikov, Precision::f64));
  DensityCase narrow = case_of(longer);
  narrow.grid.dims[0] = 30;  // the rows are clipped
  CHECK(policy_of(narrow, KernelFunction::epanechnikov, Precision::f32).find("difference") ==
        std::string::npos);
}
