#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/cloud/partial_sums.hpp"
#include "core/cloud/samples.hpp"
#include "core/grid.hpp"
#include "core/report/progress.hpp"
#include "engines/engine_options.hpp"
#include "engines/offer.hpp"

namespace skde {

/// The sums of a partial problem over samples that come and go: integers, so that they depend
/// on the samples that are there alone, and not on the order in which they came, on the others that
/// went again, or on what sums them: CPU threads and GPUs give the same bits.
class IntegerSums {
 public:
  virtual ~IntegerSums() = default;

  /// The bandwidth matrix of the kernels that are added and subtracted from now on.
  virtual void use_matrix(const Symmetric3& H) = 0;
  void add(const SamplesView& points, Progress& progress) { change(points, 1, progress); }
  /// Takes samples out again that were added.
  void subtract(const SamplesView& points, Progress& progress) { change(points, -1, progress); }

  /// In host memory, x fastest; until the next change.
  virtual const std::vector<std::int64_t>& sums() const = 0;
  /// The same; nothing is changed or asked for afterwards.
  virtual std::vector<std::int64_t> take_sums() = 0;

 private:
  virtual void change(const SamplesView& points, std::int64_t sign, Progress& progress) = 0;
};

/// How an engine sums integers. Every engine that has this serves parts, windows and ranks.
struct IntegerAccumulator {
  /// What sums of so many slices over so many samples would take. Seconds are 0 where nobody knows
  /// them. Error(input) where H is not positive definite.
  Offer (*offer)(const PartialProblem& problem, std::int64_t slices, double samples,
                 const EngineOptions& options);
  /// Sums of these slices of the grid, which have the bits that they have in the whole. Throws the
  /// same, and Error(resources) where a GPU is not there or its memory does not hold them.
  std::unique_ptr<IntegerSums> (*make)(const PartialProblem& problem, SliceRange slices,
                                       const EngineOptions& options);
};

}  // namespace skde
