#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engines/cpu/cell_problem.hpp"
#include "engines/cpu/z_order.hpp"
#include "engines/integer_sums.hpp"

namespace skde {

/// Integer sums on CPU threads, for slices [z, z + slices) of the grid. Works as `span` does, in
/// double.
class SpanIntegerSums final : public IntegerSums {
 public:
  /// Throws Error(input) if H is not positive definite.
  SpanIntegerSums(const PartialProblem& problem, int threads, std::int64_t z, std::int64_t slices);
  SpanIntegerSums(const PartialProblem& problem, int threads)
      : SpanIntegerSums(problem, threads, 0, problem.grid.dims[2]) {}

  void use_matrix(const Symmetric3& H) override;
  const std::vector<std::int64_t>& sums() const override { return sums_; }
  std::vector<std::int64_t> take_sums() override { return std::move(sums_); }

 private:
  void change(const SamplesView& points, std::int64_t sign, Progress& progress) override;

  CellProblem problem_;
  std::int32_t z_, slices_;
  ZOrder<double> order_;
  std::vector<std::int64_t> sums_;
};
extern const IntegerAccumulator kSpanIntegerSums;

}  // namespace skde
