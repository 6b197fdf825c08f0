// Integer sums over samples and their boundary images.
#include "estimate/sum/boundary_sums.hpp"

#include <algorithm>
#include <cmath>

#include "support/cases/case_parts.hpp"
#include "support/catch.hpp"
#include "support/references/boundary_reference.hpp"
#include "support/silent.hpp"

namespace {

using namespace skde;
using namespace skde::test;

/// Weighted samples in and around a box, and their problem.
struct BoundedSums {
  BoundaryCase of;
  PartialProblem problem;
  double total_weight = 0;
};

BoundedSums make_case(KernelFunction kernel, const Boundaries& boundaries, unsigned seed,
                      std::size_t count = 60) {
  BoundedSums made;
  Random random(seed);
  BoundaryCase& of = made.of;
  of.kernel = kernel;
  const auto length = [&] { return random.uniform(0.2, 0.8); };
  of.H = random_rotation(random, {length(), length(), length()});
  of.boundaries = boundaries;
  of.grid = {{-1, 5, 1e5}, {0.25, 0.2, 0.21}, {12, 13, 9}};
  add_uniform(of.cloud, random, {{-1.2, 4.9, 1e5 - 0.1}, {2.1, 7.7, 1e5 + 2}}, count);
  double largest = 0;
  for (std::size_t i = 0; i < of.cloud.size(); ++i) {
    of.cloud.weights.push_back(random.uniform(0.5, 2));
    largest = std::max(largest, of.cloud.weights.back());
    made.total_weight += of.cloud.weights.back();
  }
  made.problem.grid = of.grid;
  made.problem.kernel = {kernel, of.H};
  made.problem.kernel.tolerance = 1e-12;
  made.problem.boundaries = boundaries;
  made.problem.growth = images_of(made.problem)->growth();
  made.problem.binary_digits =
      binary_digits_for(made.problem.growth * largest, made.problem.growth * made.total_weight);
  return made;
}

BoundarySums sums_of(const PartialProblem& problem, int threads) {
  return {problem, "span", {.threads = threads}, {0, problem.grid.dims[2]}};
}

}  // namespace

TEST_CASE("integers sum the images of samples at the faces", "[boundary]") {
  unsigned seed = 1;
  for (const KernelFunction kernel : {KernelFunction::epanechnikov, KernelFunction::biweight,
                                      KernelFunction::triweight, KernelFunction::gaussian})
    for (const Boundaries& boundaries :
         {Boundaries{kReflect, kReflect, kReflect}, Boundaries{kPeriodic, kPeriodic, kPeriodic},
          Boundaries{kPeriodic, kNone, kReflect}, Boundaries{kRenormalize, kReflect, kPeriodic},
          Boundaries{kRenormalize, kRenormalize, kRenormalize}}) {
      BoundedSums made = make_case(kernel, boundaries, seed++);
      if (kernel == KernelFunction::gaussian) made.of.H = made.problem.kernel.H = 0.1 * made.of.H;
      BoundarySums sums = sums_of(made.problem, 2);
      sums.add(made.of.cloud.view(), silent);
      const std::vector<double> expected = boundary_density(made.of);
      const double unit = made.problem.unit(made.total_weight);
      double worst = 0;
      for (std::size_t i = 0; i < expected.size(); ++i)
        worst = std::max(worst, std::abs(unit * static_cast<double>(sums.sums()[i]) - expected[i]));
      INFO(kernel->name << ", " << boundaries_text(boundaries));
      // The reference sums masses between faces, which limits its own accuracy.
      const double allowed = divides(boundaries) ? 3e-4 : 1e-9;
      CHECK(worst < allowed * *std::ranges::max_element(expected));
    }
}

TEST_CASE("images are the same however samples are divided, and leave with them", "[boundary]") {
  const Boundaries boundaries = GENERATE(Boundaries{kReflect, kReflect, kReflect},
                                         Boundaries{kRenormalize, kPeriodic, kReflect});
  const BoundedSums made = make_case(KernelFunction::biweight, boundaries, 77, 900);
  const SamplesView all = made.of.cloud.view();
  BoundarySums whole = sums_of(made.problem, 1), parts = sums_of(made.problem, 3),
               window = sums_of(made.problem, 2), slab(made.problem, "span", {}, {3, 4});
  whole.add(all, silent);
  parts.add(all.slice(500, 400), silent);
  parts.add(all.slice(0, 500), silent);
  CHECK(parts.sums() == whole.sums());
  CHECK(whole.beyond() > 0);
  CHECK(parts.beyond() == whole.beyond());
  window.add(all, silent);
  window.subtract(all.slice(0, 300), silent);
  BoundarySums rest = sums_of(made.problem, 2);
  rest.add(all.slice(300, 600), silent);
  CHECK(window.sums() == rest.sums());
  CHECK(window.beyond() == rest.beyond());
  slab.add(all, silent);
  const auto slice = static_cast<std::size_t>(made.of.grid.dims[0] * made.of.grid.dims[1]);
  CHECK(std::ranges::equal(slab.sums(), std::span(whole.sums()).subspan(3 * slice, 4 * slice)));
}

TEST_CASE("weights grow at the faces by no more than the digits have room for", "[boundary]") {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const auto kernel = seed % 2 == 0 ? KernelFunction::epanechnikov : KernelFunction::gaussian;
    const BoundedSums made = make_case(
        kernel, {kRenormalize, seed % 3 == 0 ? kReflect : kRenormalize, kRenormalize}, seed, 2000);
    const BoundaryImages images = *images_of(made.problem);
    const SamplesView all = made.of.cloud.view();
    double most = 0;
    std::vector<double> grown(all.size());
    for (std::size_t pass = 0; pass < images.passes(); ++pass)
      for (std::size_t i = 0; i < all.size(); ++i) {
        Samples made_of_it;
        images.append(all, i, pass, BoundaryImages::Which::all, made_of_it);
        for (const double weight : made_of_it.weights) grown[i] += weight;
        most = std::max(most, grown[i] / all.weight(i));
      }
    CHECK(most > 1.5);
    CHECK(most <= made.problem.growth);
  }
}
