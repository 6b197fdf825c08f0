#include "bench/measure/reference_cells.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "bench/measure/engine_measurement.hpp"
#include "support/cases/density_cases.hpp"
#include "support/catch.hpp"
#include "support/references/direct_sums.hpp"
#include "support/references/reference.hpp"

using namespace skde;
using namespace skde::bench;

namespace {

std::vector<std::int64_t> every_cell(const Grid& grid) {
  std::vector<std::int64_t> cells(static_cast<std::size_t>(grid.cells()));
  std::iota(cells.begin(), cells.end(), 0);
  return cells;
}

Volume volume_of(const ReferenceCells& reference, const Grid& grid) {
  return {grid, reference.density};
}

BenchmarkInput small_input() {
  BenchmarkCase wanted;
  wanted.samples = 500;
  wanted.cells = 12;
  return make_input(wanted);
}

Volume direct_density(const BenchmarkInput& input) {
  const Grid& grid = input.grid;
  return volume_of(make_reference_cells(input.clouds.front().view(), input.problem(Precision::f64),
                                        every_cell(grid), NoProgress()),
                   grid);
}

}  // namespace

TEST_CASE("the reference is the density of the definition") {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const test::DensityCase c = test::random_case(seed);
    INFO(c.name);
    const test::Reference expected =
        test::make_reference(c.cloud.view(), c.H, c.grid, c.total_weight());
    for (const KernelFunction function : kKernelFunctions) {
      const ReferenceCells reference =
          make_reference_cells(c.cloud.view(), {{function, c.H}, c.grid, c.total_weight()},
                               every_cell(c.grid), NoProgress());
      const std::vector<double>& density = expected.of(function);
      CHECK(reference.peak == Approx(expected.peak(function)).margin(1e-300));
      double largest = 0;
      for (std::size_t i = 0; i < density.size(); ++i)
        largest =
            std::max(largest, std::abs(reference.density[i] - density[i]) - reference.doubt[i]);
      CHECK(largest <= 1e-9 * expected.peak(function));
    }
  }
}

TEST_CASE("the reference knows samples with kernels of their own") {
  for (const CaseWidths widths : {CaseWidths::factors, CaseWidths::splats})
    for (const KernelFunction function : kKernelFunctions) {
      BenchmarkCase wanted;
      wanted.samples = 100;
      wanted.cells = 9;
      wanted.kernel = function;
      wanted.widths = widths;
      wanted.weighted = true;
      const BenchmarkInput input = make_input(wanted);
      const Samples& cloud = input.clouds.front();
      const ReferenceCells found = make_reference_cells(cloud.view(), input.problem(Precision::f64),
                                                        every_cell(input.grid), NoProgress());
      const test::DirectSums direct{function, input.kernel.H, cloud.view()};
      INFO(function->name << ", " << widths_name(widths));
      double largest = 0;
      std::size_t cell = 0;
      for (std::int64_t k = 0; k < 9; ++k)
        for (std::int64_t j = 0; j < 9; ++j)
          for (std::int64_t i = 0; i < 9; ++i, ++cell)
            largest =
                std::max(largest, std::abs(found.density[cell] -
                                           direct.at(input.grid.centre(i, j, k), cloud.weights) /
                                               input.total_weight) -
                                      found.doubt[cell]);
      CHECK(found.peak > 0);
      CHECK(largest < 1e-9 * found.peak);
    }
}

TEST_CASE("chosen cells are of the grid, told once, and hold the peak") {
  const BenchmarkInput input = small_input();
  const Volume volume = direct_density(input);
  const auto cells = choose_cells(input.clouds.front().view(), volume, 200, 5);
  CHECK(cells.size() > 120);
  CHECK(cells.size() <= 201);
  CHECK(std::ranges::is_sorted(cells));
  CHECK(std::ranges::adjacent_find(cells) == cells.end());
  CHECK(cells.front() >= 0);
  CHECK(cells.back() < input.grid.cells());
  double largest = 0;
  for (const std::int64_t cell : cells)
    largest = std::max(largest, volume.values<double>()[static_cast<std::size_t>(cell)]);
  CHECK(largest == volume.maximum());
}

TEST_CASE("errors are shares of the peak and a value that is not finite is infinitely wrong") {
  const BenchmarkInput input = small_input();
  const auto reference =
      make_reference_cells(input.clouds.front().view(), input.problem(Precision::f64),
                           every_cell(input.grid), NoProgress());
  Volume volume = volume_of(reference, input.grid);
  CHECK(largest_error(volume, reference) == 0);
  const Volume right = volume;
  volume.values<double>()[7] += 0.25 * reference.peak;
  CHECK(largest_error(volume, reference) == Approx(0.25));
  CHECK(largest_difference(volume, right) == Approx(0.25));
  volume.values<double>()[9] = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isinf(largest_error(volume, reference)));
  CHECK(std::isinf(largest_difference(volume, right)));
}

TEST_CASE("a check lets the density pass and tells what is off") {
  const BenchmarkInput input = small_input();
  const Volume right = direct_density(input);
  CaseCheck check(input, 50);
  const auto verdict = check.judge("first", right, NoProgress());
  CHECK(verdict.error < 1e-9);
  CHECK(verdict.complaint.empty());
  Volume scaled = right;
  scaled.scale(1.01);
  const auto off = check.judge("scaled", scaled, NoProgress());
  CHECK(off.error == Approx(0.01));
  CHECK(off.complaint == "off the reference by 0.01 of the peak");
}

TEST_CASE("a check of few cells still finds an error in any cell by the other method") {
  const BenchmarkInput input = small_input();
  const Volume right = direct_density(input);
  CaseCheck check(input, 4);
  CHECK(check.judge("first", right, NoProgress()).complaint.empty());
  std::size_t found = 0;
  for (const std::size_t cell : {100, 500, 900, 1300, 1700}) {
    Volume broken = right;
    broken.values<double>()[cell] += 0.5 * right.maximum();
    const std::string complaint = check.judge("broken", broken, NoProgress()).complaint;
    CHECK_FALSE(complaint.empty());
    found += complaint == "off first by 0.5 of the peak" ? 1U : 0U;
  }
  CHECK(found > 0);
}
