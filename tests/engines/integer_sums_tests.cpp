#include "engines/cpu/integer/span_integer_sums.hpp"

#include <algorithm>
#include <cmath>

#include "core/cloud/synthetic_cloud.hpp"
#include "engines/registry/registry.hpp"
#include "support/catch.hpp"
#include "support/references/reference.hpp"
#include "support/silent.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using test::Reference;
using test::thrown_error;

namespace {

PartialProblem tilted_problem(KernelFunction function) {
  PartialProblem problem;
  problem.grid = {{-4.1, -3, -2.5}, {0.31, 0.27, 0.4}, {27, 21, 15}};
  problem.kernel = {function, {0.9, 0.3, -0.2, 1.1, 0.1, 2.0}};
  return problem;
}

Samples cloud_with_weights(std::size_t count) {
  Samples cloud = make_five_gaussians(3, 0, count);
  for (std::size_t i = 0; i < count; ++i)
    cloud.weights.push_back(0.01 + static_cast<double>(i % 7) * 0.3);
  return cloud;
}

std::vector<std::int64_t> sums_of(const PartialProblem& problem, const SamplesView& points,
                                  int threads = 2) {
  SpanIntegerSums sums(problem, threads);
  sums.add(points, test::silent);
  return sums.sums();
}

}  // namespace

TEST_CASE("integers sum up to the density", "[integers]") {
  const auto function = GENERATE(KernelFunction::epanechnikov, KernelFunction::biweight,
                                 KernelFunction::triweight, KernelFunction::gaussian);
  PartialProblem problem = tilted_problem(function);
  problem.kernel.tolerance = 1e-14;  // of the cut
  const Samples cloud = cloud_with_weights(500);
  ExactMoments moments;
  moments.add(cloud.view());
  problem.binary_digits = binary_digits_for(moments.largest_weight(), moments.total_weight());
  const Reference reference =
      test::make_reference(cloud.view(), problem.kernel.H, problem.grid, moments.total_weight());
  const std::vector<std::int64_t> sums = sums_of(problem, cloud.view());
  const double unit = problem.unit(moments.total_weight());
  double worst = 0;
  for (std::size_t i = 0; i < sums.size(); ++i)
    worst =
        std::max(worst, std::abs(unit * static_cast<double>(sums[i]) - reference.of(function)[i]));
  CHECK(worst < (function->is_bounded() ? 1e-13 : 3e-13) * reference.peak(function));
}

TEST_CASE("integers are the same however samples are divided and ordered", "[integers]") {
  PartialProblem problem =
      tilted_problem(GENERATE(KernelFunction::epanechnikov, KernelFunction::gaussian));
  problem.binary_digits = binary_digits_for(1, kMostUncountedSamples);
  const Samples cloud = make_five_gaussians(4, 0, 5000);
  const std::vector<std::int64_t> whole = sums_of(problem, cloud.view(), 1);
  CHECK(*std::ranges::max_element(whole) > 0);
  SpanIntegerSums parts(problem, 3);
  for (const std::size_t begin : {4000, 0, 1700}) {
    const std::size_t end = begin == 0 ? 1700 : begin == 1700 ? 4000 : 5000;
    parts.add(cloud.view().slice(begin, end - begin), test::silent);
  }
  CHECK(parts.sums() == whole);
}

TEST_CASE("samples that leave a sum leave nothing of themselves", "[integers]") {
  PartialProblem problem = tilted_problem(KernelFunction::biweight);
  problem.binary_digits = binary_digits_for(1, kMostUncountedSamples);
  const Samples cloud = make_five_gaussians(4, 0, 3000);
  SpanIntegerSums window(problem, 2);
  window.add(cloud.view(), test::silent);
  window.subtract(cloud.view().slice(0, 1000), test::silent);
  window.subtract(cloud.view().slice(2500, 500), test::silent);
  CHECK(window.sums() == sums_of(problem, cloud.view().slice(1000, 1500)));
}

TEST_CASE("slabs of integers are those of the whole grid", "[integers]") {
  PartialProblem problem = tilted_problem(KernelFunction::uniform);
  problem.binary_digits = binary_digits_for(1, kMostUncountedSamples);
  const Samples cloud = make_five_gaussians(4, 0, 2000);
  const std::vector<std::int64_t> whole = sums_of(problem, cloud.view());
  SpanIntegerSums slab(problem, 2, 4, 6);
  slab.add(cloud.view(), test::silent);
  const std::int64_t slice = problem.grid.dims[0] * problem.grid.dims[1];
  CHECK(std::ranges::equal(slab.sums(),
                           std::span(whole).subspan(static_cast<std::size_t>(4 * slice),
                                                    static_cast<std::size_t>(6 * slice))));
}

TEST_CASE("integers refuse kernels whose profiles they do not know", "[integers]") {
  for (const KernelFunction function : kKernelFunctions) {
    INFO(function->name);
    const PartialProblem problem = tilted_problem(function);
    const auto make = [&] { make_integer_sums("span", problem, {0, problem.grid.dims[2]}, {}); };
    if (function->has_integers) {
      CHECK_NOTHROW(make());
      continue;
    }
    const Error error = thrown_error(make);
    CHECK(error.kind() == ErrorKind::unsupported);
    CHECK(error.parameter() == "kernel");
    CHECK(error.problem().find(function->name) != std::string::npos);
  }
  CHECK_FALSE(KernelFunction::cosine->has_integers);
}

TEST_CASE("integers have room for what they are scaled for", "[integers]") {
  for (const double total : {3.0, 1000.0, 0x1p40, 7e15})
    for (const double largest : {1e-9 * total, 0.5 * total, total}) {
      const double scale = std::ldexp(1.0, binary_digits_for(largest, total));
      CHECK(largest * scale <= 0x1p51);
      CHECK(total * scale <= 0x1p62);
      CHECK((2 * largest * scale > 0x1p51 || 2 * total * scale > 0x1p62));
    }
}

TEST_CASE("a kernel without an end is summed as far as its tolerance says", "[integers]") {
  PartialProblem problem = tilted_problem(KernelFunction::gaussian);
  problem.binary_digits = 40;
  Samples one;
  one.xyz = {0, 0, 0};
  const auto reached = [&](double tolerance) {
    problem.kernel.tolerance = tolerance;
    const std::vector<std::int64_t> sums = sums_of(problem, one.view());
    return std::ranges::count_if(sums, [](std::int64_t sum) { return sum > 0; });
  };
  CHECK(reached(1e-2) < reached(1e-4));
  CHECK(reached(1e-4) < reached(1e-6));
  CHECK(reached(0) == reached(kDefaultTolerance));
}
