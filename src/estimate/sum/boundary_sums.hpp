#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/cloud/exact_sum.hpp"
#include "core/kernel/mass_in_box.hpp"
#include "engines/integer_sums.hpp"
#include "estimate/sum/boundary_images.hpp"

namespace skde {

/// What the faces of a partial problem's grid make of its samples; nothing where they do nothing.
/// Throws what BoundaryImages throws.
std::optional<BoundaryImages> images_of(const PartialProblem& partial);

/// Whole-number sums over samples and their images at the faces of the grid.
class BoundarySums {
 public:
  /// By the engine of that name. Throws what make_integer_sums and BoundaryImages throw.
  BoundarySums(const PartialProblem& problem, std::string_view engine, const EngineOptions& options,
               SliceRange slices);

  void add(const SamplesView& points, Progress& progress) { change(points, false, progress); }
  /// Takes samples out again that were added.
  void subtract(const SamplesView& points, Progress& progress) { change(points, true, progress); }
  /// Samples that were added and have no place in the box, less those that were taken out.
  std::uint64_t beyond() const { return beyond_; }
  /// Of all that are there, the weight of what of their kernels lies outside of the box.
  const ExactSum& outside() const { return outside_; }

  const std::vector<std::int64_t>& sums() const { return sums_->sums(); }
  /// The same, at the end.
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

/// Bytes of images that are made at a time, for an engine that needs so many for a sample.
double image_bytes(const PartialProblem& problem, double engine_bytes);

/// How many samples have no place in the box.
std::uint64_t count_beyond(const BoundaryImages& images, const SamplesView& points);

/// The weight of what of the samples' kernels lies outside of the box, to the last bit the same
/// however they are divided; of those inside it takes no time. On so many threads (0: one a core).
ExactSum weight_outside(const BoxMass& mass, const SamplesView& points, int threads);

}  // namespace skde
