#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/partial_sums.hpp"
#include "core/report/progress.hpp"
#include "estimate/plan/sums_plan.hpp"
#include "estimate/sum/boundary_sums.hpp"
#include "estimate/sum/merged_density.hpp"

namespace skde {

/// The density of the last samples of a stream. Samples are added as they come and subtracted as
/// they leave, in integers. The density has the bits of partial sums over the samples in the
/// window, however many came and went before; the work is proportional to the change.
class DensityWindow {
 public:
  /// Throws the plan's obstacle, and what BoundarySums throws.
  explicit DensityWindow(const SumsPlan& plan);

  /// Sets what densities say of the cloud beside its samples: units, names, version.
  void describe(PartialCloud cloud) { head_.cloud = std::move(cloud); }
  /// Changes the problem for the samples in the window and those to come. Throws the same as the
  /// constructor, and then leaves everything as it was.
  void change(const SumsPlan& plan, Progress& progress);
  /// Lets those samples leave that would leave if so many more came.
  void make_room(std::size_t coming, Progress& progress);
  /// Adds the next samples of the stream, in their order.
  void push(const SamplesView& points, Progress& progress);
  /// Return the samples of the stream so far, and those in the window.
  std::uint64_t seen() const { return seen_; }
  std::size_t held() const { return held_.size() - left_; }
  /// The problem that the sums are for.
  const PartialProblem& problem() const { return head_.problem; }
  /// Return the largest weight and the total weight in the window, once these have come, too.
  double largest_weight_with(const SamplesView& coming) const;
  double total_weight_with(const SamplesView& coming) const;
  /// Returns the density of the window. Throws what density_of throws.
  MergedDensity density(Normalization normalization) const;

 private:
  SamplesView view() const { return held_.view().slice(left_, held()); }
  /// If more samples come than the window holds, the first of them pass through at once.
  SamplesView last_of(const SamplesView& points) const;
  void leave(std::size_t count, Progress& progress);
  void weigh(const SamplesView& points, double sign);

  PartialHead head_;
  std::size_t window_;
  BoundarySums sums_;
  Samples held_;
  std::size_t left_ = 0;  ///< samples at the front of held_ that have left
  std::uint64_t seen_ = 0;
  ExactSum weight_, weight_squared_;
  Moments ever_;  ///< of all samples ever held; its bounds contain those in the window
};

}  // namespace skde
