#include "core/kernel/kernel_work.hpp"

#include <omp.h>

#include "core/cloud/synthetic_cloud.hpp"
#include "support/catch.hpp"

using namespace skde;

namespace {

constexpr std::size_t kAll = std::size_t{1} << 40;

}  // namespace

TEST_CASE("the work of samples is the sum over their kernels", "[kernel_work]") {
  const Grid grid{{0, 0, 0}, {1, 1, 1}, {10, 11, 12}};
  // A ball of radius 2.1 about a cell centre covers 33 cells, of 45 in the cropped boxes.
  const Ellipsoid<double> ball = make_ellipsoid(Symmetric3::diagonal(4.41, 4.41, 4.41), grid);
  const Samples cloud{{5.5, 5.5, 5.5, 5.5, 5.5, -9, 4.5, 5.5, 6.5}, {}};
  const KernelWork work = count_work(ball, grid, cloud.view(), kAll);
  CHECK(work.updates == 66);
  CHECK(work.evaluated == 90);
  CHECK(work.slices == 10);
  CHECK(work.rows == 26);
  CHECK(work.unseen_weight == 0);
  CHECK(count_work(ball, grid, SamplesView{}, kAll).updates == 0);
}

TEST_CASE("some samples stand for the work of all", "[kernel_work]") {
  const Samples cloud = make_five_gaussians(1, 0, 20000);
  const Grid grid{{-5, -5, -5}, {0.1, 0.1, 0.1}, {60, 100, 100}};  // the box cuts kernels off
  const Ellipsoid<double> e = make_ellipsoid({0.3, 0.05, 0, 0.2, -0.04, 0.25}, grid);
  const KernelWork all = count_work(e, grid, cloud.view(), kAll);
  const KernelWork some = count_work(e, grid, cloud.view(), 2000);
  CHECK(some.updates == Approx(all.updates).epsilon(0.03));
  CHECK(some.evaluated == Approx(all.evaluated).epsilon(0.03));
}

TEST_CASE("kernels between the cell centres are unseen", "[kernel_work]") {
  const Grid grid{{0, 0, 0}, {1, 1, 1}, {4, 4, 4}};
  const Ellipsoid<double> small = make_ellipsoid(Symmetric3::diagonal(0.01, 0.01, 0.01), grid);
  // On a centre, on a corner of cells, near a centre, and outside the grid.
  const Samples cloud{{1.5, 1.5, 1.5, 2, 2, 2, 2.5, 2.5, 2.55, 9, 2, 2}, {1, 2, 4, 8}};
  const KernelWork work = count_work(small, grid, cloud.view(), kAll);
  CHECK(work.updates == 2);
  CHECK(work.unseen_weight == 2);
  // A long needle along the diagonal of x and y that still lies between the centres.
  const Ellipsoid<double> needle = make_ellipsoid({1.0001, 1, 0, 1.0001, 0, 0.01}, grid);
  const Samples beside{{2, 2.5, 2.5}, {}};
  CHECK(count_work(needle, grid, beside.view(), kAll).unseen_weight == 1);
  CHECK(thinnest_half_width({1.0001, 1, 0, 1.0001, 0, 0.01}, grid) == Approx(0.01));
}

TEST_CASE("work is counted when it is first asked for", "[kernel_work]") {
  int counts = 0;
  WorkCount work;
  work += KernelWork{.updates = 1};
  for (const double updates : {2.0, 4.0})
    work.add_later([&counts, updates] {
      ++counts;
      return KernelWork{.updates = updates};
    });
  const WorkCount copy = work;
  work += KernelWork{.updates = 8};
  CHECK(counts == 0);
  CHECK(work.value().updates == 15);
  CHECK(copy.value().updates == 7);
  CHECK(work.value().updates == 15);
  CHECK(counts == 2);
}

TEST_CASE("the work is the same on any threads", "[kernel_work]") {
  Samples cloud = make_five_gaussians(1, 0, 5000);
  for (std::size_t i = 0; i < cloud.size(); ++i)
    cloud.weights.push_back(1 / (1.5 + static_cast<double>(i * 7919 % 4999)));
  const Grid grid{{-5, -5, -5}, {0.5, 0.5, 0.5}, {20, 20, 20}};
  const Ellipsoid<double> e = make_ellipsoid(Symmetric3::diagonal(0.04, 0.04, 0.04), grid);
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  const KernelWork alone = count_work(e, grid, cloud.view(), kAll);
  CHECK(alone.unseen_weight > 0);
  for (int run = 0; run < 10; ++run) {
    omp_set_num_threads(2 + run);
    CHECK(count_work(e, grid, cloud.view(), kAll).unseen_weight == alone.unseen_weight);
  }
  omp_set_num_threads(before);
}
