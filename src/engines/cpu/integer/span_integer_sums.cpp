#include "engines/cpu/integer/span_integer_sums.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>

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

/// Bytes of the sums of `slices` slices and of the work on them, without samples.
double integer_bytes(const CellProblem& cells, std::int64_t slices) {
  const double row = static_cast<double>(cells.nx()) + IntegerRows::kLanes;
  return sizeof(std::int64_t) * (static_cast<double>(slices) * cells.nx() * cells.ny() +
                                 cells.threads * row * cells.ny()) +
         ZOrder<double>::fixed_bytes(cells);
}

Offer offer_integers(const PartialProblem& problem, std::int64_t slices, double samples,
                     const EngineOptions& options) {
  constexpr double kCellsPerSecond = 1.6e9;  // per thread (AVX-512)
  const CellProblem cells = in_cells(problem, options.threads);
  const Ellipsoid<double>& e = cells.ellipsoid;
  const double reached = std::min(4 * std::numbers::pi / 3 * e.sx * e.sy * e.sz,
                                  static_cast<double>(problem.grid.cells()));
  Offer offer;
  offer.seconds.run = samples * reached / (kCellsPerSecond * cells.threads);
  offer.host = {.fixed = integer_bytes(cells, slices), .sample = ZOrder<double>::kSampleBytes};
  offer.repeats = true;
  return offer;
}

std::unique_ptr<IntegerSums> make_integers(const PartialProblem& problem, SliceRange slices,
                                           const EngineOptions& options) {
  return std::make_unique<SpanIntegerSums>(problem, options.threads, slices.first, slices.count);
}

}  // namespace

const IntegerAccumulator kSpanIntegerSums{offer_integers, make_integers};

SpanIntegerSums::SpanIntegerSums(const PartialProblem& problem, int threads, std::int64_t z,
                                 std::int64_t slices)
    : problem_(in_cells(problem, threads)),
      z_(static_cast<std::int32_t>(z)),
      slices_(static_cast<std::int32_t>(slices)),
      sums_(static_cast<std::size_t>(problem.grid.dims[0] * problem.grid.dims[1] * slices)) {}

void SpanIntegerSums::use_matrix(const Symmetric3& H) {
  if (problem_.kernel.H == H) return;
  problem_.kernel.H = H;
  problem_.ellipsoid = problem_.kernel.ellipsoid(problem_.grid);
}

void SpanIntegerSums::change(const SamplesView& points, std::int64_t sign, Progress& progress) {
  if (points.size() == 0) return;
  order_.build(problem_, points, progress);
  const std::int64_t slice_cells = std::int64_t{problem_.nx()} * problem_.ny();
  std::uint64_t visits = 0;  // pairs of a sample and a slice
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
