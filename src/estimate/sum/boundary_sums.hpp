#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/cloud/exact_sum.hpp"
#include "core/kernel/mass_in_box.hpp"
#include "engines/integer_sums.hpp"
#include "estimate/read/boundary_images.hpp"

namespace skde {

/// Integer sums over samples and their images at the faces of the grid.
class BoundarySums {
 public:
  /// Sums with the engine of that name. Throws what make_integer_sums and BoundaryImages throw.
  BoundarySums(const PartialProblem& problem, std::string_view engine, const EngineOptions& options,
               SliceRange slices);

  void add(const SamplesView& points, Progress& progress) { change(points, false, progress); }
  /// Subtracts samples that were added before.
  void subtract(const SamplesView& points, Progress& progress) { change(points, true, progress); }
  /// Returns how many of the samples now included lie beyond a face at which the box ends.
  std::uint64_t beyond() const { return beyond_; }
  /// Returns the weight of the kernel mass outside the box, over all samples now included.
  const ExactSum& outside() const { return outside_; }

  const std::vector<std::int64_t>& sums() const { return sums_->sums(); }
  /// Moves the sums out, at the end.
  std::vector<std::int64_t> take_sums() { return sums_->take_sums(); }

 private:
  void change(const SamplesView& points, bool leave, Progress& progress);

  std::unique_ptr<IntegerSums> sums_;
  std::optional<BoundaryImages> images_;
  BoxMass mass_;
  int threads_;
  std::uint64_t beyond_ = 0;
  ExactSum outside_;
  Samples made_;
  std::vector<Samples> scratch_;
};

/// Returns how many samples lie beyond a face at which the box ends.
std::uint64_t count_beyond(const BoundaryImages& images, const SamplesView& points);

/// Returns the weight of the samples' kernel mass outside the box. Its bits do not depend on how
/// the samples are divided. Samples well inside cost no time. Uses this many threads (0: one a
/// core).
ExactSum weight_outside(const BoxMass& mass, const SamplesView& points, int threads);

}  // namespace skde
