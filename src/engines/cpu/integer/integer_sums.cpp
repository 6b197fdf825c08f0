#include "engines/cpu/integer/integer_sums.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>

#include "core/report/first_failure.hpp"
#include "core/report/thread_room.hpp"
#include "engines/cpu/integer/integer_rows.hpp"
#include "engines/cpu/shared_progress.hpp"
#include "engines/engine.hpp"

namespace skde {
namespace {

CellProblem in_cells(const PartialProblem& partial, int threads) {
  Problem problem;
  problem.kernel = partial.kernel;
  problem.target = partial.grid;
  CellProblem cells(problem, thread_count(threads));
  cells.amplitude = std::ldexp(1.0, partial.binary_digits);
  return cells;
}

}  // namespace

IntegerSums::IntegerSums(const PartialProblem& problem, int threads, std::int64_t z,
                         std::int64_t slices)
    : problem_(in_cells(problem, threads)),
      z_(static_cast<std::int32_t>(z)),
      slices_(static_cast<std::int32_t>(slices)),
      sums_(static_cast<std::size_t>(problem.grid.dims[0] * problem.grid.dims[1] * slices)) {}

double IntegerSums::fixed_bytes(const PartialProblem& problem, int threads, std::int64_t slices) {
  const CellProblem cells = in_cells(problem, threads);
  const double row = static_cast<double>(cells.nx()) + IntegerRows::kLanes;
  return sizeof(std::int64_t) * (static_cast<double>(slices) * cells.nx() * cells.ny() +
                                 cells.threads * row * cells.ny()) +
         ZOrder<double>::fixed_bytes(cells);
}

void IntegerSums::use_matrix(const Symmetric3& H) {
  if (problem_.kernel.H == H) return;
  problem_.kernel.H = H;
  problem_.ellipsoid = problem_.kernel.ellipsoid(problem_.grid);
}

void IntegerSums::change(const SamplesView& points, std::int64_t sign, Progress& progress) {
  if (points.size() == 0) return;
  order_.build(problem_, points, progress);
  const std::int64_t slice_cells = std::int64_t{problem_.nx()} * problem_.ny();
  std::uint64_t visits = 0;  // of samples by slices
  for (std::int32_t z = z_; z < z_ + slices_; ++z) visits += order_.samples_near(z).size();
  SharedProgress shared(progress, kAccumulateStage, visits, "sample slices");
  std::atomic<bool> stopped = false;
  FirstFailure failure;
#pragma omp parallel num_threads(std::min(problem_.threads, slices_))
  {
    std::optional<IntegerRows> rows;
    failure.keep([&] { rows.emplace(problem_.nx(), problem_.ny()); });
    if (!rows) stopped = true;
#pragma omp for schedule(dynamic, 1)
    for (std::int32_t z = z_; z < z_ + slices_; ++z) {
      if (stopped) continue;
      const auto near = order_.samples_near(z);
      if (near.empty()) continue;
      rows->add(near, z, problem_.kernel, problem_.ellipsoid);
      rows->move_to(sums_.data() + (z - z_) * slice_cells, sign);
      if (!shared.advance(near.size())) stopped = true;
    }
  }
  failure.rethrow();
  shared.finish();
}

}  // namespace skde
