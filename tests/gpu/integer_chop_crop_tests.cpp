// Integer accumulation on a GPU has the same bits as on the CPU, for every kernel and every
// partition of the samples.

#include <algorithm>

#include "core/cloud/synthetic_cloud.hpp"
#include "engines/cpu/integer/span_integer_sums.hpp"
#include "engines/cuda/cuda_integer_sums.hpp"
#include "gpu/device_fixture.hpp"
#include "support/cases/density_cases.hpp"
#include "support/catch.hpp"

using namespace skde;
using namespace skde::test;

namespace {

PartialProblem whole_problem(const DensityCase& density_case, KernelFunction function) {
  PartialProblem problem;
  problem.grid = density_case.grid;
  problem.kernel = {function, density_case.H};
  problem.binary_digits =
      binary_digits_for(density_case.largest_weight(), density_case.total_weight());
  return problem;
}

std::vector<std::int64_t> sums_of(IntegerSums&& sums, const SamplesView& points) {
  NoProgress silent;
  sums.add(points, silent);
  return sums.take_sums();
}

/// Checks that the sums equal the CPU's, and returns whether any of them is not 0.
bool check_bits(const DensityCase& density_case) {
  bool any = false;
  for (const KernelFunction function : kKernelFunctions) {
    INFO(density_case.name << ", " << function->name);
    const PartialProblem problem = whole_problem(density_case, function);
    const SamplesView points = density_case.cloud.view();
    const SliceRange whole{0, problem.grid.dims[2]};
    const std::vector<std::int64_t> expected = sums_of(SpanIntegerSums(problem, 2), points);
    CHECK(sums_of(CudaIntegerSums(problem, {0}, whole), points) == expected);
    any = any || std::ranges::any_of(expected, [](std::int64_t sum) { return sum != 0; });
  }
  return any;
}

/// Returns more than two batches for each of two members: a million samples, repeated.
Samples many_samples() {
  const Samples cloud = make_five_gaussians(4, 0, 1'000'000);
  Samples many;
  for (int i = 0; i < 18; ++i) many.xyz.insert(many.xyz.end(), cloud.xyz.begin(), cloud.xyz.end());
  return many;
}

/// Checks the sums of a slab, shared by two members, after samples are subtracted and after others
/// are added with another matrix.
void check_slab_and_rest(KernelFunction function) {
  PartialProblem problem;
  problem.grid = {{-4.1, -3, -2.5}, {0.06, 0.05, 0.08}, {131, 117, 75}};
  // Unbounded kernels reach far and would take most of the time.
  const double share = function->is_bounded() ? 1 : 0.1;
  problem.kernel = {function, share * Symmetric3{0.04, 0.013, -0.008, 0.05, 0.004, 0.09}};
  problem.binary_digits = binary_digits_for(1, kMostUncountedSamples);
  const Samples cloud = many_samples();
  const SamplesView all = cloud.view(), some = all.slice(0, 1'000'000),
                    rest = all.slice(1'000'000, 17'000'000);
  const SliceRange slab{20, 31};
  const std::vector<std::int64_t> expected = sums_of(SpanIntegerSums(problem, 0, 20, 31), some);
  CHECK(sums_of(CudaIntegerSums(problem, {0}, slab), some) == expected);
  NoProgress silent;
  CudaIntegerSums left(problem, {0, 0}, slab);  // two members on one device
  left.add(all, silent);
  left.subtract(rest, silent);
  CHECK(left.sums() == expected);
  const Symmetric3 narrow = 0.25 * problem.kernel.H;
  left.use_matrix(narrow);
  left.add(rest, silent);
  PartialProblem other = problem;
  other.kernel.H = narrow;
  std::vector<std::int64_t> both = sums_of(CudaIntegerSums(other, {0}, slab), rest);
  std::ranges::transform(both, expected, both.begin(), std::plus<>());
  CHECK(left.take_sums() == both);
}

}  // namespace

TEST_CASE("CUDA: integers have the bits of the CPU's", "[integers]") {
  if (skipped()) return;
  int empty = 0;
  for (const DensityCase& density_case : density_cases()) empty += !check_bits(density_case);
  CHECK(empty <= 2);  // clouds far outside their grids
}

TEST_CASE("CUDA: integers have them in random cases", "[integers]") {
  if (skipped()) return;
  int empty = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) empty += !check_bits(random_case(900 + seed));
  CHECK(empty < 10);
}

TEST_CASE("CUDA: integers of slabs, of shares and of what is left, uniform", "[integers]") {
  if (!skipped()) check_slab_and_rest(KernelFunction::uniform);
}

TEST_CASE("CUDA: integers of slabs, of shares and of what is left, biweight", "[integers]") {
  if (!skipped()) check_slab_and_rest(KernelFunction::biweight);
}

TEST_CASE("CUDA: integers of slabs, of shares and of what is left, gaussian", "[integers]") {
  if (!skipped()) check_slab_and_rest(KernelFunction::gaussian);
}
