#pragma once

#include <cstdint>
#include <vector>

#include "core/partial_sums.hpp"
#include "core/progress.hpp"
#include "core/samples.hpp"
#include "engines/cpu/cell_problem.hpp"
#include "engines/cpu/z_order.hpp"

namespace skde {

/// The sums of a partial problem over samples that come and go: whole numbers, so that they depend
/// on the samples that are there alone, and not on the order in which they came, on the others that
/// went again, or on the number of threads. As `span` on the CPU, in doubles. Of slices [z, z +
/// slices) of the grid, which have the bits that they have in the whole.
class IntegerSums {
 public:
  /// Error(input) where H is not positive definite.
  IntegerSums(const PartialProblem& problem, int threads, std::int64_t z, std::int64_t slices);
  IntegerSums(const PartialProblem& problem, int threads)
      : IntegerSums(problem, threads, 0, problem.grid.dims[2]) {}

  /// Bytes of the sums of so many slices and of the work on them, without samples.
  static double fixed_bytes(const PartialProblem& problem, int threads, std::int64_t slices);
  static constexpr double kSampleBytes = ZOrder<double>::kSampleBytes;

  /// The bandwidth matrix of the kernels that are added and subtracted from now on.
  void use_matrix(const Symmetric3& H);
  void add(const SamplesView& points, Progress& progress) { change(points, 1, progress); }
  /// Takes samples out again that were added.
  void subtract(const SamplesView& points, Progress& progress) { change(points, -1, progress); }

  const std::vector<std::int64_t>& sums() const { return sums_; }
  std::vector<std::int64_t>& sums() { return sums_; }

 private:
  void change(const SamplesView& points, std::int64_t sign, Progress& progress);

  CellProblem problem_;
  std::int32_t z_, slices_;
  ZOrder<double> order_;
  std::vector<std::int64_t> sums_;
};

}  // namespace skde
