#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/partial_sums.hpp"
#include "core/report/progress.hpp"
#include "core/space/grid.hpp"
#include "engines/engine_options.hpp"
#include "engines/offer.hpp"

namespace skde {

/// The integer sums of a partial problem, over samples that are added and subtracted. They depend
/// only on the samples that they hold: not on the order of additions, on samples that were
/// subtracted again, or on the device. CPU threads and GPUs give the same bits.
class IntegerSums {
 public:
  virtual ~IntegerSums() = default;

  /// Sets the bandwidth matrix of the kernels that are added and subtracted from now on.
  virtual void use_matrix(const Symmetric3& H) = 0;
  void add(const SamplesView& points, Progress& progress) { change(points, 1, progress); }
  /// Takes out samples that were added.
  void subtract(const SamplesView& points, Progress& progress) { change(points, -1, progress); }

  /// The sums in host memory, x fastest. Valid until the next change.
  virtual const std::vector<std::int64_t>& sums() const = 0;
  /// Moves the sums out. The object must not be used afterwards.
  virtual std::vector<std::int64_t> take_sums() = 0;

 private:
  virtual void change(const SamplesView& points, std::int64_t sign, Progress& progress) = 0;
};

/// An engine's integer accumulation. Every engine that has one serves parts, windows and ranks.
struct IntegerAccumulator {
  /// Predicts the cost of sums of this many slices over this many samples. Seconds are 0 if
  /// unknown. Throws Error(input) if H is not positive definite.
  Offer (*offer)(const PartialProblem& problem, std::int64_t slices, double samples,
                 const EngineOptions& options);
  /// Makes the sums of these slices of the grid, which have the same bits as in the whole grid.
  /// Throws the same, and Error(resources) if a GPU does not exist or its memory cannot hold them.
  std::unique_ptr<IntegerSums> (*make)(const PartialProblem& problem, SliceRange slices,
                                       const EngineOptions& options);
};

}  // namespace skde
